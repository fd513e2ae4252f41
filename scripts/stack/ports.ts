import { createServer } from "node:net";

/** A port of this machine that nothing uses at the moment. */
export function freePort(): Promise<number> {
  return bind(0, "127.0.0.1");
}

/** Whether a server could listen there. */
export async function isFree(port: number, host: string): Promise<boolean> {
  return bind(port, host).then(
    () => true,
    (error: { code?: string }) => {
      if (error.code === "EADDRINUSE") return false;
      throw error;
    },
  );
}

function bind(port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(port, host, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : port));
    });
  });
}
