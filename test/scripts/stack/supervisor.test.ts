import { expect, test } from "bun:test";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { withSupervisor } from "../../../scripts/bench/stack.ts";

test("the log of the start before is kept, one of them, and an empty one takes no place", () =>
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

test("a program that ends is told with the line that says why, not with those of its cleaning up", () =>
  withSupervisor(async (supervisor) => {
    const command = ["/bin/sh", "-c", "echo starting; echo FATAL: no room; echo bye; exit 3"];
    supervisor.start({ title: "A program", name: "program", command });
    await expect(supervisor.failure).rejects.toThrow(
      /^A program ended \(code 3\)\. Its last words in .*: FATAL: no room$/,
    );
  }));
