import { expect, test } from "bun:test";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { until } from "../../scripts/stack/waiting.ts";
import { newFolder, scriptCommand } from "../support.ts";

test("an interrupted `npm test` leaves no reports behind", async () => {
  const folder = await newFolder();
  const temporary = join(folder, "tmp");
  await mkdir(temporary);
  const scripts = { typecheck: "true", lint: "true" };
  await Bun.write(join(folder, "package.json"), JSON.stringify({ scripts }));
  const endless = `import { test } from "bun:test"; test("endless", () => new Promise(() => {}), 0);`;
  for (const name of ["a", "b"]) await Bun.write(join(folder, `test/${name}.test.ts`), endless);

  const suite = Bun.spawn(scriptCommand("test", []), {
    cwd: folder,
    env: { ...process.env, TMPDIR: temporary },
    stdio: ["ignore", "ignore", "ignore"],
  });
  const reports = async () =>
    (await readdir(temporary)).filter((name) => name.startsWith("highstreet-report-"));
  await until(async () => (await reports()).length > 0, 20_000);
  suite.kill("SIGINT");
  expect(await suite.exited).toBe(130);
  expect(await reports()).toEqual([]);
});
