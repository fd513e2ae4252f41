import { expect, test } from "bun:test";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { withSupervisor } from "../../../scripts/bench/stack.ts";
import { isAlive, until } from "../../../scripts/stack/waiting.ts";
import { CommandError } from "../../../scripts/terminal/command.ts";
import { runProgram } from "../../support.ts";

const ROOT = join(import.meta.dir, "..", "..", "..");

test("the log of the previous start is kept, and an empty log does not replace it", () =>
  withSupervisor(async (supervisor) => {
    const run = async (script: string) => {
      const command = ["/bin/sh", "-c", script];
      await supervisor.start({ title: "A program", name: "program", command, endsByItself: true })
        .exited;
      const logs = join(supervisor.folder, "logs");
      const names = (await readdir(logs)).sort();
      return Promise.all(
        names.map(async (name) => [name, await readFile(join(logs, name), "utf8")]),
      );
    };
    expect(await run("echo first")).toEqual([["program.log", "first\n"]]);
    expect(await run("true")).toEqual([
      ["program.log", ""],
      ["program.log.1", "first\n"],
    ]);
    expect(await run("echo third")).toEqual([
      ["program.log", "third\n"],
      ["program.log.1", "first\n"],
    ]);
    expect(await run("echo fourth")).toEqual([
      ["program.log", "fourth\n"],
      ["program.log.1", "third\n"],
    ]);
  }));

test.each([
  ["nothing of its shutdown", "starting\nFATAL: no room\nbye", "FATAL: no room"],
  [
    "nothing that a crashed process of PostgreSQL left the others to say",
    `LOG:  client backend (PID 7) was terminated by signal 9: Killed
LOG:  terminating any other active server processes
FATAL:  the database system is in recovery mode
LOG:  abnormal database system shutdown`,
    "LOG:  client backend (PID 7) was terminated by signal 9: Killed",
  ],
  [
    "not how PostgreSQL crashed, when it says why",
    `FATAL:  the database system is starting up
PANIC:  could not locate a valid checkpoint record at 0/1C87820
LOG:  startup process (PID 7) was terminated by signal 6: Aborted
LOG:  database system is shut down`,
    "PANIC:  could not locate a valid checkpoint record at 0/1C87820",
  ],
  [
    "nothing of a stack trace",
    "Error: wrong version\n\nStack backtrace:\n   0: anyhow::error::from\n   1: main\n",
    "Error: wrong version",
  ],
  [
    "that there was no room",
    "FATAL: No space left on device\nPANIC: cannot abort",
    "FATAL: No space left on device",
  ],
  ["that its log is empty", "", "the log is empty. Is the disk full?"],
])("a program's end is reported with the line of its log that says why: %s", (_, says, told) =>
  withSupervisor(async (supervisor) => {
    const command = ["/bin/sh", "-c", 'printf %s "$0"; exit 3', says];
    const { log } = supervisor.start({ title: "A program", name: "program", command });
    await expect(supervisor.failure).rejects.toThrow(
      new CommandError(`A program exited (code 3), see ${log}: ${told}`),
    );
  }),
);

test("of a program that was killed the log does not say why", () =>
  withSupervisor(async (supervisor) => {
    const command = ["/bin/sh", "-c", "echo ERROR: nothing to delete; kill -KILL $$"];
    supervisor.start({ title: "A program", name: "program", command });
    await expect(supervisor.failure).rejects.toThrow(
      /^A program exited \(SIGKILL\): did the machine run out of memory\?$/,
    );
  }));

test("the reason is found in a very large log too", () =>
  withSupervisor(async (supervisor) => {
    const log = join(supervisor.folder, "logs", "program.log");
    const grow = 'truncate -s 5G "$0"; (echo; echo FATAL: no room; echo bye) >>"$0"; exit 3';
    const command = ["/bin/sh", "-c", grow, log];
    supervisor.start({ title: "A program", name: "program", command });
    await expect(supervisor.failure).rejects.toThrow(
      /^A program exited \(code 3\), see .*: FATAL: no room$/,
    );
  }));

test("the end is also reported when the log has been removed", () =>
  withSupervisor(async (supervisor) => {
    const log = join(supervisor.folder, "logs", "program.log");
    const command = ["/bin/sh", "-c", 'rm "$0"; exit 3', log];
    supervisor.start({ title: "A program", name: "program", command });
    await expect(supervisor.failure).rejects.toThrow(
      /^A program exited \(code 3\), see .*: the log cannot be read \(ENOENT: .*\)\.$/,
    );
  }));

test("a program that the system refuses to start is reported with the system's error", () =>
  withSupervisor(async (supervisor) => {
    const command = ["/bin/sh", "-c", "#".repeat(4_000_000)];
    const start = () => supervisor.start({ title: "A program", name: "program", command });
    expect(start).toThrow(CommandError);
    expect(start).toThrow(/^A program cannot be started: E2BIG.*\.$/);
  }));

test("a program that fails to start for lack of resources is reported, although the error arrives only later", () =>
  withSupervisor(async ({ folder }) => {
    const script = `
      import { closeSync, openSync } from "node:fs";
      import { Supervisor } from "./scripts/stack/supervisor.ts";
      const supervisor = new Supervisor(${JSON.stringify(folder)});
      const files = [];
      try {
        for (;;) files.push(openSync("/dev/null"));
      } catch {}
      // For the log.
      closeSync(files.pop());
      try {
        supervisor.start({ title: "A program", name: "program", command: ["true"] });
      } catch (error) {
        console.log(error.message);
      }
      for (const file of files) closeSync(file);
      await supervisor.failure.catch((error) => console.log(error.message));`;
    const limited = ["sh", "-c", 'ulimit -n 100; exec "$0" -e "$1"', process.execPath, script];
    const { stdout, stderr, exitCode } = await runProgram(limited, { cwd: ROOT });
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(stdout).toMatch(
      /^A program cannot be started\.\nA program cannot be started: EMFILE.*\.\n$/,
    );
  }));

test("no program outlives a killed command, not even one that is stopped", () =>
  withSupervisor(async ({ folder }) => {
    const script = `
      import { Supervisor } from "./scripts/stack/supervisor.ts";
      const supervisor = new Supervisor(${JSON.stringify(folder)});
      const command = ["sh", "-c", "kill -STOP $$; sleep 60"];
      const { pid } = supervisor.start({ title: "A program", name: "program", command });
      // Stopped from outside, it might be before it has a guard.
      while (!/\\) T /.test(await Bun.file("/proc/" + pid + "/stat").text())) await Bun.sleep(10);
      console.log(pid);
      process.kill(process.pid, "SIGKILL");`;
    const { stdout } = await runProgram([process.execPath, "-e", script], { cwd: ROOT });
    const pid = Number(stdout);
    expect(pid).toBeGreaterThan(0);
    await until(() => !isAlive(pid), 10_000);
  }));
