import { parseArgs } from "node:util";
import { loadConfig } from "../src/config.ts";
import { type ActionResult, applyAction, businessActions } from "../src/directory/businesses.ts";
import { openPostgres } from "../src/store/postgres.ts";
import { CommandError, runCommand } from "./command.ts";
import { scriptEnvironment } from "./stack/environment.ts";

const USAGE = `Usage: npx bun scripts/businesses.ts ACTION SLUG…

Actions: ${businessActions.join(", ")}.
A change shows in lists and details within a second, in search within five.`;

await runCommand(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: "boolean", short: "h" } },
  });
  if (values.help) return console.log(USAGE);
  const [name, ...slugs] = positionals;
  const action = businessActions.find((known) => known === name);
  if (!action || slugs.length === 0) throw new CommandError(USAGE);

  const config = loadConfig(await scriptEnvironment());
  const sql = openPostgres(config.databaseUrl, { max: 1 });
  try {
    const results = await applyAction(sql, action, slugs);
    for (const result of results) {
      const isDone = result.result === "changed" || result.result === "unchanged";
      if (!isDone) process.exitCode = 1;
      (isDone ? console.log : console.error)(describe(result));
    }
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
