import { loadConfig } from "../../../src/config.ts";
import { start } from "../../../src/main.ts";

/** The server without its cache. */

const server = await start(loadConfig(process.env), { cacheBytes: 0 });
process.once("SIGTERM", () => server.stop().finally(() => process.exit()));
