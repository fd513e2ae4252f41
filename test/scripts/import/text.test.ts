import { expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readText } from "../../../scripts/import/text.ts";
import { newFolder } from "../../support.ts";

test("a text that is not UTF-8 is refused with the line and the byte of its first fault", async () => {
  const folder = await newFolder();
  const file = join(folder, "a.csv");
  const refusal = async (...parts: (string | number[])[]) => {
    await Bun.write(file, Buffer.concat(parts.map((part) => Buffer.from(part as string))));
    return Array.fromAsync(readText(file)).catch((error: Error) => error.message);
  };
  const fault = (line: number, byte: number, code = "WINDOWS-1252") =>
    `${file} is not UTF-8 (line ${line}, byte ${byte} of the file): convert it first, for example with iconv -f ${code} -t UTF-8.`;
  const LATIN_E = [0xe9];
  expect(await refusal("\ufeffCafé\n", LATIN_E)).toBe(fault(2, 10));
  expect(await refusal("\ufeff", LATIN_E)).toBe(fault(1, 4));
  expect(await refusal("a\n".repeat(21_402), [0xa3])).toBe(fault(21_403, 42_805));
  expect(await refusal([0xa3], "a\n")).toBe(fault(1, 1));
  expect(await refusal([0xff, 0xfe], "a\0\n\0")).toBe(fault(1, 1, "UTF-16"));
  expect(await refusal([0xfe, 0xff], "\0a\0\n")).toBe(fault(1, 1, "UTF-16"));
  expect(await refusal("a\n", [0xff, 0xfe])).toBe(fault(2, 3));
  // Pieces of a file end at multiples of a power of two: within a character, and within the fault.
  for (let before = 262_130; before < 262_146; before++) {
    const line = "x".repeat(before);
    expect(await refusal("\n", line, "£\n€\n🎂", LATIN_E, "\n")).toBe(fault(4, before + 13));
    expect(await refusal(line, LATIN_E, "\n")).toBe(fault(1, before + 1));
  }
});

test.each([
  ["gzip", "\x1f\x8b"],
  ["zip", "PK\x03\x04"],
  ["xz", "\xfd7zXZ"],
  ["Zstandard", "\x28\xb5\x2f\xfd"],
  ["7z", "7z\xbc\xaf"],
  ["bzip2", "BZh91AY"],
  [".xls", "\xd0\xcf\x11\xe0"],
])("a file that begins as %s does is told to be unpacked or saved as CSV", async (_, start) => {
  const file = join(tmpdir(), crypto.randomUUID());
  await Bun.write(file, Buffer.from(`${start} and more`, "latin1"));
  await expect(Array.fromAsync(readText(file))).rejects.toThrow("is compressed or a spreadsheet");
});

test.each([
  ["UTF-16LE", "i\0d\0,\0"],
  ["UTF-16BE", "\0i\0d\0,"],
])("a file in %s without a byte order mark is told to be converted", async (code, start) => {
  const file = join(tmpdir(), crypto.randomUUID());
  await Bun.write(file, start);
  await expect(Array.fromAsync(readText(file))).rejects.toThrow(
    `${file} is UTF-16: convert it first, for example with iconv -f ${code} -t UTF-8.`,
  );
});
