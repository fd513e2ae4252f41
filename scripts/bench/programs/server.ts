import { loadConfig } from "../../../src/config.ts";
import { start } from "../../../src/main.ts";

/** The server under test, as `src/main.ts` starts it. Argument: `uncached` turns its cache off. */

const options = process.argv[2] === "uncached" ? { cacheBytes: 0 } : {};
const server = await start(loadConfig(process.env), options);
process.once("SIGTERM", () => server.stop().finally(() => process.exit()));
