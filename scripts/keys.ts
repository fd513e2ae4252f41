import { parseArgs } from "node:util";
import { createAdmission } from "../src/access/admission.ts";
import type { MeterReading } from "../src/access/decisions.ts";
import { findKey, type KeyRecord, listKeys, revokeKey } from "../src/access/keys.ts";
import { type RollResult, rollKey } from "../src/access/roll-key.ts";
import { openUsage } from "../src/access/usage.ts";
import { usageOf } from "../src/access/usage-report.ts";
import type { Config } from "../src/config.ts";
import { reasonOf } from "../src/process.ts";
import type { Sql } from "../src/store/postgres.ts";
import { connectRedis, openRedis } from "../src/store/redis.ts";
import { writtenTime } from "../src/times.ts";
import { showKey } from "./keys/show-key.ts";
import { openDatabase } from "./stack/database.ts";
import { scriptConfig } from "./stack/environment.ts";
import { CommandError, runCommand } from "./terminal/command.ts";
import { readDuration } from "./terminal/options.ts";
import { print } from "./terminal/output.ts";
import { formatJson, formatTable, formatTime } from "./terminal/table.ts";

const USAGE = `Usage: npx bun scripts/keys.ts list
       npx bun scripts/keys.ts revoke ID
       npx bun scripts/keys.ts roll ID [--grace 24h]
       npx bun scripts/keys.ts usage ID

  list     every key, its state and its holder
  revoke   disables a key for good, everywhere within a second; its successor still works
  roll     issues a new key with the same rights, and shows it once; the old one keeps working for
           the grace period, by default 24h, and both draw on the same limits
  usage    what the key has used of this month's quota
  --json   one JSON line for each key`;

await runCommand(USAGE, async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      grace: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const [action, id = ""] = positionals;
  const isComplete = positionals.length === (action === "list" ? 1 : 2);
  if (!action || !["list", "revoke", "roll", "usage"].includes(action) || !isComplete) {
    throw new CommandError(USAGE);
  }
  if (values.grace !== undefined && action !== "roll") {
    throw new CommandError("--grace belongs to roll.");
  }
  const graceSeconds = readDuration("--grace", values.grace ?? "24h") / 1000;

  const config = await scriptConfig();
  await using sql = await openDatabase(config.databaseUrl, 1);
  if (action === "list") await list(sql, values.json);
  else if (action === "revoke") await revoke(sql, id, values.json);
  else if (action === "roll") await roll(sql, id, graceSeconds, values.json);
  else await usage(sql, config, id, values.json);
});

async function list(sql: Sql, json: boolean): Promise<void> {
  const keys = await listKeys(sql);
  if (json) {
    for (const { meterId: _, ...key } of keys) {
      print(formatJson(key));
    }
  } else if (keys.length === 0) {
    print("No key has been issued. `npx bun scripts/issue-key.ts --help` says how.");
  } else {
    const rows = keys.map((key) => [
      key.id,
      `${key.hint}…`,
      key.state,
      key.tier,
      key.name,
      key.email,
      formatTime(key.createdAt),
      key.expiresAt ? formatTime(key.expiresAt) : "never",
    ]);
    const heads = [
      "id",
      "begins",
      "state",
      "tier",
      "name",
      "email",
      "issued (UTC)",
      "expires (UTC)",
    ];
    print(formatTable(heads, rows));
  }
}

async function revoke(sql: Sql, id: string, json: boolean): Promise<void> {
  const result = await revokeKey(sql, id);
  if (result === "unknown") throw unknownKey(id);
  if (json) print(formatJson({ id, result }));
  else print(result === "changed" ? `${id} is revoked.` : `${id} was already revoked.`);
}

async function roll(sql: Sql, id: string, graceSeconds: number, json: boolean): Promise<void> {
  const result = await rollKey(sql, id, { graceSeconds });
  if ("refused" in result) throw new CommandError(whyNotRolled(id, result));
  const { rolled, oldExpiresAt } = result;
  showKey(
    rolled,
    `Issued ${rolled.id} in place of ${id}, which works until ${writtenTime(oldExpiresAt)}.`,
    json ? { ...rolled, rolledFrom: id, oldExpiresAt } : null,
  );
}

async function usage(sql: Sql, config: Config, id: string, json: boolean): Promise<void> {
  const key = await findKey(sql, id);
  if (!key) throw unknownKey(id);
  const report = usageOf(key, await readMeter(sql, config.redisUrls, key));
  if (json) {
    print(formatJson({ id, ...report }));
  } else {
    const { month, quota, used, remaining, resetsAt } = report;
    const row = [month, quota, used, remaining, resetsAt.slice(0, 10)].map(String);
    print(formatTable(["month (UTC)", "quota", "used", "remaining", "resets on"], [row]));
  }
}

async function readMeter(
  sql: Sql,
  redisUrls: readonly string[],
  key: KeyRecord,
): Promise<MeterReading> {
  const redis = openRedis(redisUrls);
  const admission = createAdmission(redis, { usage: openUsage(sql) });
  try {
    await connectRedis(redis).catch((error) => {
      throw new CommandError(`Cannot reach Redis: ${reasonOf(error)}`);
    });
    return await admission.usage(key);
  } finally {
    admission.stop();
    redis.disconnect();
  }
}

function unknownKey(id: string): CommandError {
  return new CommandError(
    `There is no key ${id}; \`npx bun scripts/keys.ts list\` shows them all.`,
  );
}

function whyNotRolled(id: string, refusal: Extract<RollResult, { refused: unknown }>): string {
  switch (refusal.refused) {
    case "unknown":
      return unknownKey(id).message;
    case "revoked":
      return `${id} is revoked and cannot be rolled; issue a new key.`;
    case "expired":
      return `${id} has expired and cannot be rolled; issue a new key.`;
    case "replaced":
      return `${id} has already been rolled; roll its successor ${refusal.by}.`;
  }
}
