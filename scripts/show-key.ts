import { CommandError } from "./command.ts";
import { print } from "./output.ts";

/**
 * Writes the only text that has a key.
 * @throws CommandError when it cannot be written, as to a full disk: the key is issued all the same
 */
export async function showKey(id: string, text: string): Promise<void> {
  try {
    await print([`${text}\n`]);
  } catch (error) {
    throw new CommandError(
      `The key ${id} is issued, but cannot be written: ${(error as Error).message}. \`npx bun scripts/keys.ts roll ${id}\` issues another in its place.`,
    );
  }
}
