import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, createServer, type Server, type Socket } from "node:net";
import { addBusiness } from "../fixtures.ts";
import { createDatabase, startTestServer, type TestServer, until } from "../support.ts";

/** A way to PostgreSQL that can be cut or held up. */
interface Line {
  url: string;
  cut(): Promise<void>;
  hold(): void;
  mend(): Promise<void>;
  close(): Promise<void>;
}

let line: Line;
let server: TestServer;
beforeAll(async () => {
  const database = await createDatabase();
  await addBusiness(database.sql, { slug: "a-shop" });
  line = await openLine(new URL(database.url));
  server = await startTestServer({ databaseUrl: line.url });
});
afterAll(async () => {
  await line.mend();
  await server.stop();
  await line.close();
}, 15_000);

const ask = async () => {
  const start = performance.now();
  const response = await fetch(`${server.url}/api/v1/businesses/a-shop`, {
    headers: { "X-Forwarded-For": `198.18.0.${Math.floor(Math.random() * 250)}` },
  });
  const body = (await response.json()) as { error?: string };
  return {
    status: response.status,
    error: body.error,
    seconds: (performance.now() - start) / 1000,
  };
};

test("PostgreSQL away is 503 unavailable, soon and every time, and over when it is back", async () => {
  expect((await ask()).status).toBe(200);
  await line.cut();
  for (let number = 0; number < 20; number++) {
    const { status, error, seconds } = await ask();
    expect({ status, error }).toEqual({ status: 503, error: "unavailable" });
    expect(seconds).toBeLessThan(6);
  }
  await line.mend();
  await until(async () => (await ask()).status === 200, 5_000);
}, 40_000);

test("PostgreSQL that accepts and then says nothing is 503 within the time of an answer", async () => {
  line.hold();
  const { status, error, seconds } = await ask();
  expect({ status, error }).toEqual({ status: 503, error: "unavailable" });
  expect(seconds).toBeLessThan(6);
  await line.mend();
  await until(async () => (await ask()).status === 200, 10_000);
}, 30_000);

async function openLine(target: URL): Promise<Line> {
  const sockets = new Set<Socket>();
  let isHeld = false;
  let listener: Server;
  const listen = (port: number) =>
    new Promise<number>((resolve) => {
      listener = createServer((near) => {
        const far = connect(Number(target.port), target.hostname);
        for (const [from, to] of [
          [near, far],
          [far, near],
        ] as const) {
          sockets.add(from);
          from.on("data", (data: Buffer) => {
            if (!isHeld) to.write(new Uint8Array(data));
          });
          from.on("close", () => {
            sockets.delete(from);
            to.destroy();
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
      if (listener.listening) for (const socket of sockets) socket.destroy();
      else await listen(port);
    },
    close: cut,
  };
}
