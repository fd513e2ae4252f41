import { randomBytes } from "node:crypto";
import { rename, writeFile } from "node:fs/promises";
import { CommandError } from "../terminal/command.ts";

/**
 * The secret in a file that only its owner can read; created on the first call.
 * @param remedy what to do when the file is empty
 * @throws CommandError when it is: to Redis and Meilisearch, no secret means that anybody may come in
 */
export async function keptSecret(
  path: string,
  remedy = "remove it, and a new one is made",
): Promise<string> {
  const file = Bun.file(path);
  if (await file.exists()) {
    const secret = (await file.text()).trim();
    if (secret !== "") return secret;
    throw new CommandError(`${path} is empty, but has to hold a secret: ${remedy}.`);
  }
  const secret = randomBytes(24).toString("base64url");
  // Under another name first, and on the disk before it gets its own, since a half-written file would lock
  // us out of our own data.
  const draft = `${path}.new`;
  await writeFile(draft, secret, { mode: 0o600, flush: true });
  await rename(draft, path);
  return secret;
}
