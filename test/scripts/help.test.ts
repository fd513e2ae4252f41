import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { outputOf, scriptCommand } from "../support.ts";

// Every file that lies directly in scripts/ is one; what they share is in its folders.
const files = readdirSync(join(import.meta.dir, "..", "..", "scripts"));
const commands = files.filter((name) => name.endsWith(".ts")).map((name) => basename(name, ".ts"));
commands.push("bench/bench");

// Without a store to connect to.
async function run(command: string, ...given: string[]) {
  const child = Bun.spawn(scriptCommand(command, given), {
    env: { DATABASE_URL: "nonsense" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return { command, ...(await outputOf(child)) };
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
});

test("a value that begins with a dash and has an h is refused, not answered with help", async () => {
  const { stdout, stderr, exitCode } = await run("keys", "roll", "ID", "--grace", "-1h");
  expect([stdout, exitCode]).toEqual(["", 1]);
  expect(stderr).toStartWith("Option '--grace' argument is ambiguous");
});
