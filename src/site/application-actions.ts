import { revealKey } from "../access/applications.ts";
import { type IssuedKey, type KeyRecord, revokeKey } from "../access/keys.ts";
import { rollKey } from "../access/roll-key.ts";
import type { Transaction } from "../store/postgres.ts";
import { writtenTime } from "../times.ts";

/** The outcome of a form sent from the page. */
export interface Outcome {
  /** What was done, in a few words, for the title, which screen readers announce first on a new page. */
  title: string;
  /** A new key, shown in this answer and nowhere else. */
  issued?: IssuedKey | undefined;
  notice?: string | undefined;
}

/** How long an old key may keep working, in seconds. */
export const gracePeriods = [
  { value: "86400", label: "24 hours" },
  { value: "604800", label: "7 days" },
  { value: "3600", label: "1 hour" },
  { value: "0", label: "none" },
];

/** Does what a form sent from the page asks for, by its field `action`: reveal, revoke or roll. */
export async function act(
  sql: Transaction,
  token: string,
  keys: readonly KeyRecord[],
  form: Record<string, string>,
): Promise<Outcome> {
  if (form.action === "reveal") return await reveal(sql, token);
  // Only keys of this application: its page controls no others.
  const key = keys.find(({ id }) => id === form.key);
  if (!key) return unchanged("Nothing was changed: that key is not one of yours.");
  if (form.action === "revoke") return await revoke(sql, key);
  if (form.action === "roll") return await roll(sql, key, form.grace, keys);
  return unchanged("Nothing was changed.");
}

async function reveal(sql: Transaction, token: string): Promise<Outcome> {
  const issued = await revealKey(sql, token);
  return issued
    ? { title: "Key revealed", issued }
    : unchanged("There is no key to reveal: it is shown only once. Roll it to get a new one.");
}

async function revoke(sql: Transaction, { id, hint }: KeyRecord): Promise<Outcome> {
  await revokeKey(sql, id);
  return {
    title: "Key revoked",
    notice: `${hint}… is revoked. It stops working everywhere within a second.`,
  };
}

async function roll(
  sql: Transaction,
  { id, hint }: KeyRecord,
  period: string | undefined,
  keys: readonly KeyRecord[],
): Promise<Outcome> {
  const grace = gracePeriods.find(({ value }) => value === period);
  // A missing or unknown grace period does not mean none: programs that still use the old key would fail at
  // once.
  if (!grace) return unchanged("Nothing was changed: choose a grace period for the old key.");
  const aDayAgo = Date.now() - DAY_MS;
  if (keys.filter(({ createdAt }) => +createdAt > aDayAgo).length >= MOST_A_DAY) {
    return unchanged(
      `Nothing was changed: at most ${MOST_A_DAY} keys can be made in 24 hours. Try again tomorrow.`,
    );
  }
  const result = await rollKey(sql, id, { graceSeconds: Number(grace.value) });
  if ("refused" in result) {
    return unchanged("Nothing was changed: that key can no longer be rolled. Roll the newest one.");
  }
  // Not by this server's clock: PostgreSQL's decides.
  const notice =
    grace.value === "0"
      ? `The old key ${hint}… has stopped working.`
      : `The old key ${hint}… works until ${writtenTime(result.oldExpiresAt)}.`;
  return { title: "Key rolled", issued: result.rolled, notice };
}

const unchanged = (notice: string): Outcome => ({ title: "Nothing was changed", notice });

const DAY_MS = 86_400_000;

/**
 * Keys made in any 24 hours: too few to fill a table. Even in the longest grace period, fewer keys are made
 * than the page lists, so every key that still works can be revoked there.
 */
const MOST_A_DAY = 10;
