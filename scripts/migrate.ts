import { loadConfig } from "../src/config.ts";
import { migrate } from "../src/store/migrations.ts";
import { openPostgres } from "../src/store/postgres.ts";
import { runCommand } from "./command.ts";
import { scriptEnvironment } from "./stack/environment.ts";

await runCommand(async () => {
  const config = loadConfig(await scriptEnvironment());
  const sql = openPostgres(config.databaseUrl, { max: 2 });
  const applied = await migrate(sql);
  console.log(applied.length === 0 ? "Up to date." : `Applied ${applied.join(", ")}.`);
  await sql.end();
});
