import { loadConfig } from "../src/config.ts";
import { type ActionResult, applyAction, businessActions } from "../src/directory/businesses.ts";
import { openPostgres } from "../src/store/postgres.ts";
import { CommandError, runCommand } from "./command.ts";
import { scriptEnvironment } from "./stack/environment.ts";

const USAGE = `Usage: npx bun scripts/businesses.ts ACTION SLUG…

Actions: ${businessActions.join(", ")}.
A change shows in lists and details within a second, in search within five.`;

await runCommand(async () => {
  const [name, ...slugs] = process.argv.slice(2);
  if (name === "--help" || name === "-h") return console.log(USAGE);
  const action = businessActions.find((known) => known === name);
  if (!action || slugs.length === 0) throw new CommandError(USAGE);

  const config = loadConfig(await scriptEnvironment());
  const sql = openPostgres(config.databaseUrl, { max: 1 });
  try {
    const results = await applyAction(sql, action, slugs);
    for (const result of results) console.log(describe(result));
    const failed = results.filter(({ result }) => result === "unknown" || result === "incomplete");
    if (failed.length > 0) process.exitCode = 1;
  } finally {
    await sql.end();
  }

  function describe(result: ActionResult): string {
    switch (result.result) {
      case "changed":
        return `${result.slug}: ${action} done`;
      case "unchanged":
        return `${result.slug}: nothing to ${action}, it is so already`;
      case "unknown":
        return `${result.slug}: there is no such business`;
      case "incomplete":
        return `${result.slug}: cannot be approved, it lacks ${result.missing.join(", ")}`;
    }
  }
});
