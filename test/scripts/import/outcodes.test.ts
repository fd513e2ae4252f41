import { expect, test } from "bun:test";
import { join } from "node:path";
import { readOutcodes } from "../../../scripts/import/outcodes.ts";
import { newFolder } from "../../support.ts";

test("outcodes: from files of outcodes and of postcodes, without places that are nowhere", async () => {
  const folder = await newFolder();
  const file = join(folder, "GB.txt");
  const place = (code: string, latitude: string, longitude: string) =>
    ["GB", code, "A place", "", "", "", "", "", "", latitude, longitude, "4"].join("\t");
  const lines = [
    place("NR2", "52.62", "1.28"),
    "",
    place("nr2 1ll", "52.64", "1.30"),
    place("NR2", "", ""),
    place("NR1", "52.6", "1.3"),
  ];
  await Bun.write(file, `${lines.join("\n")}\n`);
  const outcodes = await readOutcodes(file);
  expect([...outcodes.keys()]).toEqual(["NR2", "NR1"]);
  expect(outcodes.get("NR2")?.latitude).toBeCloseTo(52.63, 6);
  expect(outcodes.get("NR2")?.longitude).toBeCloseTo(1.29, 6);
  for (const empty of ["", "\n", place("NR2", "", "")]) {
    await Bun.write(file, empty);
    await expect(readOutcodes(file)).rejects.toThrow(`${file} places no outcode.`);
  }
  for (const other of ["not,a,postal,file\n", "GB\tNR1\tA place\t52.6\t1.3\n"]) {
    await Bun.write(file, other);
    await expect(readOutcodes(file)).rejects.toThrow("line 1");
  }
  for (const [latitude, longitude] of [
    ["95", "1.3"],
    ["52.6", "-300"],
    ["Infinity", "1.3"],
    ["north", "1.3"],
  ] as const) {
    await Bun.write(file, `${place("NR1", "52.6", "1.3")}\n${place("NR2", latitude, longitude)}\n`);
    await expect(readOutcodes(file)).rejects.toThrow("line 2: a postal file of GeoNames");
  }
});
