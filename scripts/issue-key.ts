import { parseArgs } from "node:util";
import * as v from "valibot";
import { approveApplication, listWaiting } from "../src/access/applications.ts";
import { createKey, type IssuedKey, listTiers } from "../src/access/keys.ts";
import { loadConfig } from "../src/config.ts";
import { openPostgres, type Sql } from "../src/store/postgres.ts";
import { CommandError, runCommand } from "./command.ts";
import { readSpan } from "./span.ts";
import { scriptEnvironment } from "./stack/environment.ts";
import { formatTable } from "./table.ts";

const USAGE = `Usage: bun scripts/issue-key.ts --name NAME --email EMAIL --tier TIER [options]
       bun scripts/issue-key.ts --application ID [--tier TIER] [options]
       bun scripts/issue-key.ts

Issues an API key and shows it once; approves an application by issuing its key, of tier developer
unless told otherwise; without arguments, lists the waiting applications.

  --tier TIER        developer, starter, growth or enterprise
  --expires-at TIME  ISO 8601, such as 2027-01-31 (UTC) or 2027-01-31T12:00:00Z
  --expires-in SPAN  such as 30d or 12h; without either, the key does not expire
  --quota N          requests a month, --per-minute N and --burst N (how many at once):
                     instead of the tier's; enterprise needs all three
  --json             one JSON line: {"id","key","tier","expiresAt"}`;

async function issueKey(): Promise<void> {
  const { json, help, ...given } = readArguments();
  if (help) return console.log(USAGE);
  const order = Object.keys(given).length === 0 ? null : readOrder(given);

  const config = loadConfig(await scriptEnvironment());
  const sql = openPostgres(config.databaseUrl, { max: 1 });
  try {
    if (order) show(await issue(sql, order), json);
    else await showWaiting(sql, json);
  } finally {
    await sql.end();
  }
}

function readArguments() {
  const text = { type: "string" } as const;
  const flag = { type: "boolean", default: false } as const;
  return parseArgs({
    options: {
      name: text,
      email: text,
      tier: text,
      application: text,
      "expires-at": text,
      "expires-in": text,
      quota: text,
      "per-minute": text,
      burst: text,
      json: flag,
      help: { ...flag, short: "h" },
    },
  }).values;
}

type Given = Omit<ReturnType<typeof readArguments>, "json" | "help">;

/** What the arguments ask for, checked as far as that goes without the database. */
function readOrder(given: Given) {
  const tier = given.tier ?? (given.application === undefined ? undefined : "developer");
  const limits = {
    quota: readLimit(given, "quota"),
    perMinute: readLimit(given, "per-minute"),
    burst: readLimit(given, "burst"),
  };
  if (tier === "enterprise" && Object.values(limits).includes(undefined)) {
    throw new CommandError("A key of tier enterprise needs --quota, --per-minute and --burst.");
  }
  const rights = { ...limits, expiresAt: readExpiry(given) };

  if (given.application !== undefined) {
    if (given.name !== undefined || given.email !== undefined) {
      throw new CommandError(
        "The name and the email are those of the application: leave them out.",
      );
    }
    return { application: given.application, tier: tier ?? "", ...rights };
  }
  const missing = (["name", "email", "tier"] as const).filter((name) => given[name] === undefined);
  if (missing.length > 0) {
    throw new CommandError(
      `Missing: ${missing.map((name) => `--${name}`).join(", ")}.\n\n${USAGE}`,
    );
  }
  const holder = v.safeParse(holderSchema, { name: given.name, email: given.email });
  if (!holder.success) throw new CommandError(holder.issues[0].message);
  return { ...holder.output, tier: tier ?? "", ...rights };
}

const holderSchema = v.object({
  name: v.pipe(
    v.string(),
    v.trim(),
    v.minLength(1, "--name is empty."),
    v.maxLength(200, "--name is too long; it may have 200 characters."),
  ),
  email: v.pipe(
    v.string(),
    v.trim(),
    v.email("--email must be an address such as ann@shop.example."),
    v.maxLength(254, "--email is too long; it may have 254 characters."),
  ),
});

function readLimit(given: Given, name: "quota" | "per-minute" | "burst"): number | undefined {
  const text = given[name];
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text) || Number(text) === 0) {
    throw new CommandError(`--${name} must be a whole number from 1 to 999999999.`);
  }
  return Number(text);
}

function readExpiry(given: Given): Date | null {
  const { "expires-at": at, "expires-in": span } = given;
  if (at !== undefined && span !== undefined) {
    throw new CommandError("Give --expires-at or --expires-in, not both.");
  }
  if (at === undefined && span === undefined) return null;
  const expiresAt =
    at === undefined ? new Date(Date.now() + readSpan("--expires-in", span ?? "")) : readTime(at);
  if (expiresAt.getTime() <= Date.now()) {
    throw new CommandError("The expiry lies in the past: such a key would never work.");
  }
  return expiresAt;
}

function readTime(text: string): Date {
  // Without an offset, the same text would be another moment in each time zone.
  const isTime = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/.test(
    text,
  );
  const time = new Date(text);
  if (!isTime || Number.isNaN(time.getTime())) {
    throw new CommandError(
      "--expires-at must be a time such as 2027-01-31 (UTC) or 2027-01-31T12:00:00Z.",
    );
  }
  return time;
}

async function issue(sql: Sql, order: ReturnType<typeof readOrder>): Promise<IssuedKey> {
  const tiers = await listTiers(sql);
  if (!tiers.includes(order.tier)) {
    throw new CommandError(`There is no tier ${order.tier}; choose one of ${tiers.join(", ")}.`);
  }
  if (!("application" in order)) return await createKey(sql, order);

  const { application, ...rights } = order;
  const approval = await approveApplication(sql, application, rights);
  if ("issued" in approval) return approval.issued;
  throw new CommandError(
    approval.refused === "unknown"
      ? `There is no application ${application}; without arguments, this command lists them.`
      : `Application ${application} has been ${approval.refused} already.`,
  );
}

function show({ id, key, tier, expiresAt }: IssuedKey, json: boolean): void {
  const until = expiresAt ? `expires ${expiresAt.toISOString()}` : "does not expire";
  console.log(
    json
      ? JSON.stringify({ id, key, tier, expiresAt })
      : `Issued ${id}: tier ${tier}, ${until}.

  ${key}

This is the only time that the key is shown; it cannot be looked up later.`,
  );
}

async function showWaiting(sql: Sql, json: boolean): Promise<void> {
  const waiting = await listWaiting(sql);
  if (json) {
    for (const application of waiting) console.log(JSON.stringify(application));
  } else if (waiting.length === 0) {
    console.log("No application is waiting. `--help` says how to issue a key without one.");
  } else {
    const rows = waiting.map(({ id, createdAt, name, email, purpose }) => [
      id,
      createdAt.toISOString().slice(0, 16).replace("T", " "),
      name,
      email,
      purpose.replace(/\s+/g, " ").slice(0, 60),
    ]);
    console.log(formatTable(["application", "since (UTC)", "name", "email", "purpose"], rows));
    console.log("\nApprove one with: bun scripts/issue-key.ts --application ID");
  }
}

await runCommand(issueKey);
