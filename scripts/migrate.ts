import { parseArgs } from "node:util";
import { migrate } from "../src/store/migrations.ts";
import { openPostgres } from "../src/store/postgres.ts";
import { scriptConfig } from "./stack/environment.ts";
import { runCommand } from "./terminal/command.ts";
import { print, say } from "./terminal/output.ts";

const USAGE = `Usage: npx bun scripts/migrate.ts

Applies the pending migrations in sql/ in order, each in its own transaction. The server and the
other commands refuse to start while one is pending.`;

await runCommand(USAGE, async () => {
  parseArgs();
  const config = await scriptConfig();
  await using sql = openPostgres(config.databaseUrl, { max: 2 });
  const applied = await migrate(sql, { onWait: say });
  print(applied.length === 0 ? "Up to date." : `Applied ${applied.join(", ")}.`);
});
