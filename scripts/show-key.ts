import { CommandError } from "./command.ts";
import { print } from "./output.ts";

/**
 * Writes the only text that has a key.
 * @throws CommandError when it cannot be written, as to a full disk: the key is issued all the same
 */
export function showKey(id: string, text: string): void {
  if (print(text)) return;
  throw new CommandError(
    `The key ${id} is issued, but could not be shown. \`npx bun scripts/keys.ts roll ${id}\` issues another in its place.`,
  );
}
