import { parseArgs } from "node:util";
import * as v from "valibot";
import { emailPattern } from "../../src/directory/email.ts";
import { CommandError } from "../terminal/command.ts";
import { readDuration, readWholeNumber } from "../terminal/options.ts";

/** The arguments of issue-key.ts: what they may be, and what they ask for. */

export const USAGE = `Usage: npx bun scripts/issue-key.ts --name NAME --email EMAIL --tier TIER [options]
       npx bun scripts/issue-key.ts --application ID [--tier TIER] [options]
       npx bun scripts/issue-key.ts --decline ID --why TEXT
       npx bun scripts/issue-key.ts

Issues an API key and shows it once; or approves an application (by default for tier developer),
whose applicant then reveals the key on its page; or declines one, and its page says why. Without
arguments, lists the waiting applications.

  --tier TIER        developer, starter, growth or enterprise
  --expires-at TIME  ISO 8601, such as 2027-01-31 (UTC) or 2027-01-31T12:00:00Z
  --expires-in 30d   from now, or 12h or 90m; without either, the key does not expire
  --quota N          requests a month, --per-minute N and --burst N (how many at once):
                     override the tier's; enterprise needs all three
  --json             one JSON line: {"id","key","tier","expiresAt"}; for an application, id and key
                     are null, since the key is created when it is revealed; without other
                     arguments, a line for each waiting application, with all that it says`;

/** The arguments as given. Throws for an unknown one. */
export function readArguments() {
  const text = { type: "string" } as const;
  const flag = { type: "boolean", default: false } as const;
  return parseArgs({
    options: {
      name: text,
      email: text,
      tier: text,
      application: text,
      decline: text,
      why: text,
      "expires-at": text,
      "expires-in": text,
      quota: text,
      "per-minute": text,
      burst: text,
      json: flag,
    },
  }).values;
}

type Given = Omit<ReturnType<typeof readArguments>, "json" | "decline" | "why">;

/** The application to decline and why, or null when nothing is to be declined. */
export function readDeclined({ decline, why, ...rest }: Partial<ReturnType<typeof readArguments>>) {
  if (decline === undefined && why === undefined) return null;
  if (decline === undefined || Object.keys(rest).length > 0) {
    throw new CommandError("--decline and --why go together, with nothing else.");
  }
  const reason = why?.trim() ?? "";
  if (reason === "" || reason.length > 2_000) {
    throw new CommandError(
      "--why must tell the applicant the reason, in at most 2,000 characters.",
    );
  }
  return { application: decline, why: reason };
}

/** What the arguments ask for, checked as far as that goes without the database. */
export function readOrder(given: Given) {
  const limits = {
    quota: readLimit(given, "quota"),
    perMinute: readLimit(given, "per-minute"),
    burst: readLimit(given, "burst"),
  };
  if (given.tier === "enterprise" && Object.values(limits).includes(undefined)) {
    throw new CommandError("A key of tier enterprise needs --quota, --per-minute and --burst.");
  }
  const rights = { ...limits, expiresAt: readExpiry(given) };

  if (given.application !== undefined) {
    if (given.name !== undefined || given.email !== undefined) {
      throw new CommandError(
        "The application has its own name and email: leave out --name and --email.",
      );
    }
    return { application: given.application, tier: given.tier ?? "developer", ...rights };
  }
  const missing = (["name", "email", "tier"] as const).filter((name) => given[name] === undefined);
  if (missing.length > 0) {
    throw new CommandError(
      `Missing: ${missing.map((name) => `--${name}`).join(", ")}.\n\n${USAGE}`,
    );
  }
  const key = v.safeParse(keySchema, given);
  if (!key.success) throw new CommandError(key.issues[0].message);
  return { ...key.output, ...rights };
}

const keySchema = v.object({
  name: v.pipe(
    v.string(),
    v.trim(),
    v.minLength(1, "--name is empty."),
    v.maxLength(200, "--name is too long; it may have at most 200 characters."),
  ),
  email: v.pipe(
    v.string(),
    v.trim(),
    v.regex(emailPattern, "--email must be an address such as ann@shop.example."),
    v.maxLength(254, "--email is too long; it may have at most 254 characters."),
  ),
  tier: v.string(),
});

function readLimit(given: Given, name: "quota" | "per-minute" | "burst"): number | undefined {
  const text = given[name];
  if (text === undefined) return undefined;
  return readWholeNumber(`--${name}`, text, 1);
}

function readExpiry(given: Given): Date | null {
  const { "expires-at": at, "expires-in": duration } = given;
  if (at !== undefined && duration !== undefined) {
    throw new CommandError("Give --expires-at or --expires-in, not both.");
  }
  if (at === undefined && duration === undefined) return null;
  const expiresAt =
    at === undefined
      ? new Date(Date.now() + readDuration("--expires-in", duration ?? ""))
      : readTime(at);
  if (expiresAt.getTime() <= Date.now()) {
    throw new CommandError("The expiry is in the past: the key would never work.");
  }
  return expiresAt;
}

function readTime(text: string): Date {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  try {
    // Rejects a time without an offset, which would be a different moment in each time zone.
    const { epochMilliseconds } = Temporal.Instant.from(isDay ? `${text}T00:00Z` : text);
    const time = new Date(epochMilliseconds);
    // JSON writes a later year with a sign and six digits, which PostgreSQL does not read.
    if (time.getUTCFullYear() > 9999) throw new RangeError("a year of five digits");
    return time;
  } catch {
    throw new CommandError(
      "--expires-at must be a time such as 2027-01-31 (UTC) or 2027-01-31T12:00:00Z.",
    );
  }
}
