import { expect, test } from "bun:test";
import { join } from "node:path";

const SCRIPTS = join(import.meta.dir, "..", "..", "scripts");
const commands = [
  ...["import", "generate", "businesses", "issue-key", "keys", "sync-search", "migrate"],
  ...["screenshots", "bench/bench", "start", "test"],
];

test("--help explains each command, without a store to connect to", async () => {
  const helps = commands.map(async (command) => {
    const child = Bun.spawn([process.execPath, join(SCRIPTS, `${command}.ts`), "--help"], {
      env: { DATABASE_URL: "nonsense" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [stdout, stderr, exitCode] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    return { command, first: stdout.split(" ")[0], stderr, exitCode };
  });
  expect(await Promise.all(helps)).toEqual(
    commands.map((command) => ({ command, first: "Usage:", stderr: "", exitCode: 0 })),
  );
});
