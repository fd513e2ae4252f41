import { parseArgs } from "node:util";
import { headlessShell } from "./stack/chromium.ts";
import { BUN_ALLOCATOR } from "./stack/memory.ts";
import { redisProgram } from "./stack/redis.ts";
import { runCommand } from "./terminal/command.ts";
import { print } from "./terminal/output.ts";
import { countTests, lastLine, type Result, type SuiteResult } from "./test/report.ts";

const USAGE = `Usage: npm test

Runs the type check, the linter (each counts as one test) and the whole suite, against real servers
that it starts itself. \`npx bun test FILE…\` runs single files.`;

/** Tests wait more than they work: two parts leave a third of two cores idle. */
const PARTS = 3;

await runCommand(USAGE, async () => {
  parseArgs();
  // Programs that the suite needs and npm does not provide.
  await redisProgram();
  await headlessShell();

  // Together: each uses one core most of the time, and writes its report at its end.
  const checks = await Promise.all([check("typecheck"), check("lint")]);
  const results = [...checks, ...(await runSuite())];
  print(`\n${lastLine(results)}`);
  if (results.some(({ failed }) => failed > 0)) process.exitCode = 1;
});

/** Runs a script of package.json. */
async function check(script: string): Promise<Result> {
  const child = Bun.spawn([process.execPath, "run", script], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  const exitCode = await child.exited;
  return exitCode === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/**
 * The suite, in parts that run at the same time, each with its own servers. Bun balances the parts by the
 * recorded time of each file; a new file, or one that has become slower, only makes them less even.
 * `npx bun test --timings=test/timings.json --update-timings` records the times again.
 */
async function runSuite(): Promise<SuiteResult[]> {
  const parts = await Promise.all(
    Array.from({ length: PARTS }, (_, index) => runPart(`${index + 1}/${PARTS}`)),
  );
  const skipped = parts.reduce((sum, part) => sum + part.skipped, 0);
  if (skipped > 0) print(`\n${skipped} skipped, because something they need is missing`);
  return parts;
}

async function runPart(shard: string): Promise<SuiteResult> {
  const child = Bun.spawn(
    [
      process.execPath,
      "test",
      `--shard=${shard}`,
      "--timings=test/timings.json",
      // The suite must not go on when this process is killed.
      "--no-orphans",
    ],
    {
      stdio: ["ignore", "inherit", "pipe"],
      // As for the server: without it the suite takes a twentieth longer.
      env: { ...process.env, ...BUN_ALLOCATOR, ...(process.stderr.isTTY && { FORCE_COLOR: "1" }) },
    },
  );
  // Bun reports its tests on stderr, file by file; the reports of the parts must not mix.
  let file = "";
  for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
    file += text;
    const end = file.lastIndexOf("\ntest/");
    if (end > 0) {
      process.stderr.write(file.slice(0, end));
      file = file.slice(end);
    }
  }
  process.stderr.write(file);
  return countTests(file, await child.exited);
}
