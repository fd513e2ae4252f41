import { randomBytes } from "node:crypto";
import { rename, writeFile } from "node:fs/promises";
import { CommandError } from "../terminal/command.ts";

/**
 * The secret in a file that only its owner can read; created on the first call.
 * @param remedy what to do when the file is empty
 * @throws CommandError when it is empty: with an empty secret, Redis and Meilisearch would admit anybody
 */
export async function keptSecret(
  path: string,
  remedy = "remove it, and a new one is created",
): Promise<string> {
  const file = Bun.file(path);
  if (await file.exists()) {
    const secret = (await file.text()).trim();
    if (secret !== "") return secret;
    throw new CommandError(`${path} is empty, but must hold a secret: ${remedy}.`);
  }
  const secret = randomBytes(24).toString("base64url");
  // Flushed to disk under another name before it is renamed, since a half-written file would lock us out of
  // our own data.
  const draft = `${path}.new`;
  await writeFile(draft, secret, { mode: 0o600, flush: true });
  await rename(draft, path);
  return secret;
}
