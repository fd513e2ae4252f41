import {
  approveApplication,
  type DecisionResult,
  declineApplication,
  listWaiting,
} from "../src/access/applications.ts";
import { createKey, listTiers } from "../src/access/keys.ts";
import { grouped } from "../src/numbers.ts";
import type { Sql } from "../src/store/postgres.ts";
import { writtenTime } from "../src/times.ts";
import { readArguments, readDeclined, readOrder, USAGE } from "./keys/order.ts";
import { showKey } from "./keys/show-key.ts";
import { openDatabase } from "./stack/database.ts";
import { scriptConfig } from "./stack/environment.ts";
import { CommandError, runCommand } from "./terminal/command.ts";
import { print, say } from "./terminal/output.ts";
import { formatJson, formatTable, formatTime } from "./terminal/table.ts";

await runCommand(USAGE, async () => {
  const { json, ...given } = readArguments();
  const declined = readDeclined(given);
  const order = declined || Object.keys(given).length === 0 ? null : readOrder(given);

  const config = await scriptConfig();
  await using sql = await openDatabase(config.databaseUrl, 1);
  if (declined) await decline(sql, declined, json);
  else if (order && "application" in order) await approve(sql, order, json);
  else if (order) await issue(sql, order, json);
  else await showWaiting(sql, json);
});

type Order = ReturnType<typeof readOrder>;

async function issue(
  sql: Sql,
  order: Exclude<Order, { application: string }>,
  json: boolean,
): Promise<void> {
  await checkTier(sql, order);
  const issued = await createKey(sql, order);
  const { id, tier, expiresAt } = issued;
  const until = expiresAt ? `expires on ${writtenTime(expiresAt)}` : "does not expire";
  showKey(issued, `Issued ${id}: tier ${tier}, ${until}.`, json ? issued : null);
}

async function approve(
  sql: Sql,
  { application, ...rights }: Extract<Order, { application: string }>,
  json: boolean,
): Promise<void> {
  await checkTier(sql, rights);
  checkDecision(application, await approveApplication(sql, application, rights));
  const { tier, expiresAt } = rights;
  print(
    json
      ? formatJson({ id: null, key: null, tier, expiresAt })
      : `Approved ${application}: tier ${tier}. The page of the application now reveals the key, once.`,
  );
}

async function decline(
  sql: Sql,
  { application, why }: { application: string; why: string },
  json: boolean,
): Promise<void> {
  checkDecision(application, await declineApplication(sql, application, why));
  print(
    json
      ? formatJson({ application, status: "declined", why })
      : `Declined ${application}. The page of the application now says why.`,
  );
}

async function checkTier(sql: Sql, { tier, quota }: Pick<Order, "tier" | "quota">): Promise<void> {
  const tiers = await listTiers(sql);
  const found = tiers.find(({ slug }) => slug === tier);
  if (!found) {
    const slugs = tiers.map(({ slug }) => slug);
    throw new CommandError(`There is no tier ${tier}; choose one of ${slugs.join(", ")}.`);
  }
  // Allowed, as for a trial, but it may be a typo.
  const { perMinute, monthlyQuota } = found;
  if (perMinute === null && quota !== undefined && quota < monthlyQuota) {
    say(
      `Note: tier ${tier} promises ${grouped(monthlyQuota)} a month or more; --quota is ${grouped(quota)}.`,
    );
  }
}

function checkDecision(application: string, result: DecisionResult): void {
  if (result === "changed") return;
  throw new CommandError(
    result === "unknown"
      ? `There is no application ${application}; without arguments, this command lists them.`
      : `Application ${application} is already ${result}.`,
  );
}

async function showWaiting(sql: Sql, json: boolean): Promise<void> {
  const waiting = await listWaiting(sql);
  if (json) {
    for (const application of waiting) print(formatJson(application));
  } else if (waiting.length === 0) {
    print("No application is waiting. `--help` says how to issue a key without one.");
  } else {
    const rows = waiting.map(({ id, createdAt, name, email, purpose }) => {
      const line = purpose.replace(/\s+/g, " ");
      const shown = line.length > 60 ? `${line.slice(0, 59)}…` : line;
      return [id, formatTime(createdAt), name, email, shown];
    });
    print(formatTable(["application", "since (UTC)", "name", "email", "purpose"], rows));
    print("\nRead what they wrote in full with: npx bun scripts/issue-key.ts --json");
    print("Approve one with: npx bun scripts/issue-key.ts --application ID");
    print('Decline one with: npx bun scripts/issue-key.ts --decline ID --why "…"');
  }
}
