import { loadConfig } from "../../../src/config.ts";
import { start } from "../../../src/main.ts";

/** The server under test, as `src/main.ts` starts it. */

const server = await start(loadConfig(process.env));
process.once("SIGTERM", () => server.stop().finally(() => process.exit()));
