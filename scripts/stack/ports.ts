import { createServer } from "node:net";

/**
 * A port of this machine that is free at the moment; one process never gets the same port twice. It is
 * below the ephemeral range, so that no outgoing connection takes it before the program it is meant for.
 * So is the port 10,000 above it, which a node of a Redis Cluster uses as well.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 1_000; attempt++) {
    const port = 10_000 + Math.floor(Math.random() * 10_000);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port, "127.0.0.1")) return port;
  }
  throw new Error("no port is free between 10000 and 20000");
}

const given = new Set<number>();

/** Whether a server could listen on it. */
export function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" ? resolve(false) : reject(error),
    );
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}
