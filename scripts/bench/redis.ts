import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Redis } from "ioredis";
import { freePort } from "../stack/ports.ts";
import { redisProgram } from "../stack/redis.ts";
import type { Daemon, Supervisor } from "../stack/supervisor.ts";
import { succeeds, until } from "../stack/waiting.ts";

/** A Redis for fault injection. It keeps its port across restarts, but nothing on disk. */
export interface FrailRedis {
  port: number;
  url: string;
  /** kill -9. */
  kill(): Promise<void>;
  /** Starts it again, empty. */
  restart(): Promise<void>;
  pause(): void;
  resume(): void;
  /** Sends it a command on a new connection. */
  call(...command: string[]): Promise<unknown>;
}

/** @param settings by their names in redis.conf */
export async function startFrailRedis(
  supervisor: Supervisor,
  settings: Record<string, string> = {},
): Promise<FrailRedis> {
  const port = await freePort();
  const program = await redisProgram();
  const folder = join(supervisor.folder, `redis-${port}`);
  await mkdir(folder);
  let daemon: Daemon;

  async function call(...command: string[]): Promise<unknown> {
    const client = new Redis(port, { lazyConnect: true, retryStrategy: () => null });
    client.on("error", () => {});
    try {
      await client.connect();
      return await client.call(...(command as [string, ...string[]]));
    } finally {
      client.disconnect();
    }
  }

  async function restart() {
    const all = { port: `${port}`, bind: "127.0.0.1", dir: folder, save: "", ...settings };
    daemon = supervisor.start({
      title: `Redis on port ${port}`,
      name: `redis-${port}`,
      command: [program, ...Object.entries(all).flatMap(([name, value]) => [`--${name}`, value])],
    });
    await supervisor.ready(daemon, () => succeeds(call("PING")));
  }

  await restart();
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    call,
    restart,
    async kill() {
      process.kill(daemon.pid, "SIGKILL");
      await daemon.exited;
    },
    pause: () => process.kill(daemon.pid, "SIGSTOP"),
    resume: () => process.kill(daemon.pid, "SIGCONT"),
  };
}

/** A cluster of three masters, each with a replica. */
export async function startFrailCluster(supervisor: Supervisor): Promise<FrailRedis[]> {
  const nodes: FrailRedis[] = [];
  for (let node = 0; node < 6; node++) {
    nodes.push(
      await startFrailRedis(supervisor, {
        "cluster-enabled": "yes",
        "cluster-node-timeout": "1000",
        "cluster-replica-validity-factor": "0",
        // Otherwise a master waits five seconds for further replicas before it serves its own.
        "repl-diskless-sync-delay": "0",
      }),
    );
  }
  const [first, ...others] = nodes as [FrailRedis, ...FrailRedis[]];
  const masters = nodes.slice(0, 3);
  const shares = [0, 5461, 10_923, 16_384];
  for (const [index, master] of masters.entries()) {
    const last = (shares[index + 1] as number) - 1;
    await master.call("CLUSTER", "ADDSLOTSRANGE", String(shares[index]), String(last));
    await master.call("CLUSTER", "SET-CONFIG-EPOCH", String(index + 1));
  }
  for (const { port } of others) await first.call("CLUSTER", "MEET", "127.0.0.1", String(port));
  const knowsAll = async (node: FrailRedis) =>
    String(await node.call("CLUSTER", "INFO")).includes("cluster_known_nodes:6");
  for (const node of nodes) await until(() => knowsAll(node), 20_000);
  for (const [index, replica] of nodes.slice(3).entries()) {
    const master = String(await masters[index]?.call("CLUSTER", "MYID"));
    await until(() => succeeds(replica.call("CLUSTER", "REPLICATE", master)), 10_000);
  }
  const isWhole = async (node: FrailRedis) =>
    String(await node.call("CLUSTER", "INFO")).includes("cluster_state:ok");
  for (const node of nodes) await until(() => isWhole(node), 20_000);
  const isFollowed = async (master: FrailRedis) =>
    String(await master.call("INFO", "replication")).includes("state=online");
  for (const master of masters) await until(() => isFollowed(master), 20_000);
  return nodes;
}
