import { afterAll, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { chromiumProgram } from "../../../scripts/stack/chromium.ts";
import { newFolder } from "../../support.ts";

const PATH = process.env.PATH;
const folder = await newFolder();
afterAll(() => {
  process.env.PATH = PATH;
});

test("Chromium does where its headless shell is not installed, and only there", async () => {
  process.env.PATH = folder;
  for (const name of ["chromium-browser", "chromium", "chromium-headless-shell"]) {
    const program = join(folder, name);
    await writeFile(program, "", { mode: 0o755 });
    expect(await chromiumProgram()).toBe(program);
  }
});
