import { expect, test } from "bun:test";
import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { newFolder, runProgram, scriptCommand } from "../support.ts";

const ROOT = join(import.meta.dir, "..", "..");

// Every file directly in scripts/ is a command; shared code is in its folders.
const files = readdirSync(join(ROOT, "scripts"));
const commands = files.filter((name) => name.endsWith(".ts")).map((name) => basename(name, ".ts"));
commands.push("bench/bench");

// Without a store to connect to.
async function run(command: string, ...given: string[]) {
  const env = { DATABASE_URL: "nonsense" };
  return { command, ...(await runProgram(scriptCommand(command, given), { env })) };
}

test("--help explains each command; an unknown option is named, and the command explained", async () => {
  const helps = await Promise.all(commands.map((command) => run(command, "--help")));
  for (const { command, stdout, stderr, exitCode } of helps) {
    expect([command, stderr, exitCode]).toEqual([command, "", 0]);
    expect(stdout).toStartWith("Usage: ");
  }
  const refusals = await Promise.all(commands.map((command) => run(command, "--bogus")));
  for (const [index, { command, stdout, stderr, exitCode }] of refusals.entries()) {
    expect([command, stdout, exitCode]).toEqual([command, "", 1]);
    expect(stderr).toStartWith("Unknown option '--bogus'");
    expect(stderr).toEndWith(`\n\n${helps[index]?.stdout}`);
  }
}, 90_000);

test("an option value such as -1h is refused, not taken for -h", async () => {
  const { stdout, stderr, exitCode } = await run("keys", "roll", "ID", "--grace", "-1h");
  expect([stdout, exitCode]).toEqual(["", 1]);
  expect(stderr).toStartWith("Option '--grace' argument is ambiguous");
});

test("without development packages, screenshots shows its help, and says what is missing", async () => {
  const folder = await newFolder();
  for (const part of ["package.json", "scripts", "sql", "src"]) {
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  }
  const packages = join(folder, "node_modules");
  mkdirSync(packages);
  for (const name of readdirSync(join(ROOT, "node_modules"))) {
    if (name !== "playwright-core")
      symlinkSync(join(ROOT, "node_modules", name), join(packages, name));
  }
  const env = { DATABASE_URL: "postgres://a", REDIS_URL: "redis://a", MEILI_URL: "http://a" };
  const screenshots = (...given: string[]) =>
    runProgram([process.execPath, "scripts/screenshots.ts", ...given], { cwd: folder, env });
  expect(await screenshots("--help")).toMatchObject({ stderr: "", exitCode: 0 });
  expect(await screenshots()).toEqual({
    stdout: "",
    stderr: "playwright-core, a development package, is missing: run `bun install`.\n",
    exitCode: 1,
  });
});
