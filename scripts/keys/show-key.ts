import type { IssuedKey } from "../../src/access/keys.ts";
import { CommandError } from "../terminal/command.ts";
import { print } from "../terminal/output.ts";
import { formatJson } from "../terminal/table.ts";

/**
 * Prints a key, which nothing else does: for people below a headline, for programs in a record as JSON.
 * @param record null for people
 * @throws CommandError when it cannot be written, as to a full disk: the key is issued nevertheless
 */
export function showKey({ id, key }: IssuedKey, headline: string, record: object | null): void {
  const text = record
    ? formatJson(record)
    : `${headline}\n\n  ${key}\n\nThe key is shown only this once; it cannot be looked up later.`;
  if (print(text)) return;
  throw new CommandError(
    `The key ${id} is issued, but could not be shown. \`npx bun scripts/keys.ts roll ${id}\` issues another in its place.`,
  );
}
