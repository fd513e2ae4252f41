import { randomBytes } from "node:crypto";
import { rename, writeFile } from "node:fs/promises";

/** The secret in a file that only its owner can read; created on the first call. */
export async function keptSecret(path: string): Promise<string> {
  const file = Bun.file(path);
  if (await file.exists()) return (await file.text()).trim();
  const secret = randomBytes(24).toString("base64url");
  // Under another name first, since a half-written file would lock us out of our own data.
  const draft = `${path}.new`;
  await writeFile(draft, secret, { mode: 0o600 });
  await rename(draft, path);
  return secret;
}
