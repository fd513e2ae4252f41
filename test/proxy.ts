import { connect, createServer, type Server, type Socket } from "node:net";

/** A TCP proxy in front of a store, which can be cut or stalled. `await using` closes one of a single test. */
export interface TcpProxy extends AsyncDisposable {
  /** The store's address, with the proxy's port. */
  url: string;
  /** From now on the store is unreachable. */
  cut(): Promise<void>;
  /** From now on the store accepts connections, and never answers. */
  hold(): void;
  mend(): Promise<void>;
  /** Silently drops everything on the open connections; new ones work. */
  lose(): void;
  /** Drops the store's next reply, and its connection. */
  loseAnswer(): void;
  /** From now on new connections go to another store. */
  lead(target: URL): void;
  close(): Promise<void>;
}

/** Opens a proxy to the store at this address. */
export async function openProxy(target: URL): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const lost = new WeakSet<Socket>();
  let isHeld = false;
  let losesAnswer = false;
  let listener: Server;
  const listen = (port: number) =>
    new Promise<number>((resolve) => {
      // Ends are passed on here: a lost connection answers none.
      listener = createServer({ allowHalfOpen: true }, (near) => {
        const far = connect(Number(target.port), target.hostname);
        for (const [from, to] of [
          [near, far],
          [far, near],
        ] as const) {
          sockets.add(from);
          from.on("data", (data: Buffer) => {
            if (from === far && losesAnswer) {
              losesAnswer = false;
              near.destroy();
            }
            if (!isHeld && !lost.has(from)) to.write(new Uint8Array(data));
          });
          from.on("close", () => {
            sockets.delete(from);
            to.destroy();
          });
          from.on("end", () => {
            if (!lost.has(from)) from.end();
          });
          from.on("error", () => {});
        }
      });
      listener.listen(port, "127.0.0.1", () => {
        resolve((listener.address() as { port: number }).port);
      });
    });
  const cut = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => listener.close(() => resolve()));
  };
  const port = await listen(0);
  const url = new URL(target);
  url.port = String(port);
  return {
    url: url.href,
    cut,
    hold() {
      isHeld = true;
    },
    async mend() {
      isHeld = false;
      if (!listener.listening) await listen(port);
      for (const socket of sockets) if (!lost.has(socket)) socket.destroy();
    },
    lose() {
      for (const socket of sockets) lost.add(socket);
    },
    loseAnswer() {
      losesAnswer = true;
    },
    lead(elsewhere) {
      target = elsewhere;
    },
    close: cut,
    [Symbol.asyncDispose]: cut,
  };
}
