import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "../../support.ts";

const SCRIPTS = join(import.meta.dir, "..", "..", "..", "scripts");

function shell(line: string) {
  const env = { PATH: process.env.PATH, BUN: process.execPath, SCRIPTS };
  return runProgram(["sh", "-c", line], { env });
}

const GENERATE = '"$BUN" "$SCRIPTS/generate.ts"';

test.skipIf(!existsSync("/dev/full"))(
  "a command whose output cannot be written fails, and says why",
  async () => {
    for (const command of [`${GENERATE} --help`, `${GENERATE} --ndjson --count 5000`]) {
      expect(await shell(`exec ${command} >/dev/full`)).toEqual({
        stdout: "",
        stderr: "The output cannot be written: ENOSPC: no space left on device, write\n",
        exitCode: 1,
      });
    }
  },
);

test("a reader that stops early is no error", async () => {
  for (const command of [`${GENERATE} --help`, `${GENERATE} --ndjson --count 5000`]) {
    const untilGone = `trap "" PIPE; while printf x; do :; done 2>/dev/null`;
    const line = `{ ${untilGone}; ${command}; echo "code $?" >&2; } | true`;
    expect(await shell(line)).toEqual({ stdout: "", stderr: "code 0\n", exitCode: 0 });
  }
});

test("a slow reader gets all of a long output, and the pipe stays blocking for whoever writes next", async () => {
  const command = `${GENERATE} --ndjson --count 5000`;
  const flags = "grep flags /proc/self/fdinfo/3 3>&1 >&2";
  const { stdout, stderr } = await shell(`{ ${command}; ${flags}; } | { sleep 0.5; wc -l; }`);
  expect(stdout.trim()).toBe("5000");
  const nonBlocking = Number.parseInt(/flags:\s*(\d+)/.exec(stderr)?.[1] ?? "", 8) & 0o4000;
  expect(nonBlocking).toBe(0);
});

test("a long step reports now and then that it is still running, until it is done", async () => {
  const work = `
    import { step } from "./output.ts";
    await step("Recovery", Bun.stdin.text(), { remindMs: 1 });
    await Bun.sleep(20);`;
  const child = Bun.spawn([process.execPath, "-e", work], {
    cwd: join(SCRIPTS, "terminal"),
    stdio: ["pipe", "inherit", "pipe"],
  });
  let said = "";
  const decoder = new TextDecoder();
  for await (const bytes of child.stderr) {
    said += decoder.decode(bytes, { stream: true });
    // Closes its input once it has reported something, so that it can finish.
    child.stdin.end();
  }
  expect(said).toMatch(/^(Recovery: still running after \d+\.\d s\n)+Recovery {28} \d+\.\d s\n$/);
});
