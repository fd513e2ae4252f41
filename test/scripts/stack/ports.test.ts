import { expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import { freePort } from "../../../scripts/stack/ports.ts";
import { startPostgres } from "../../../scripts/stack/postgres.ts";
import { startRedis } from "../../../scripts/stack/redis.ts";
import { Supervisor } from "../../../scripts/stack/supervisor.ts";
import { newFolder } from "../../support.ts";

test("no port is given twice, although each is still free when the next is asked for", async () => {
  const ports = new Set<number>();
  // Were they drawn from 10,000 without a memory, hardly any 500 would all differ.
  for (let count = 0; count < 500; count++) ports.add(await freePort());
  expect(ports.size).toBe(500);
  expect(Math.min(...ports)).toBeGreaterThanOrEqual(10_000);
  expect(Math.max(...ports)).toBeLessThan(20_000);
});

test.each([
  ["PostgreSQL", startPostgres],
  ["Redis", startRedis],
])(
  "%s is sent its password only once it has its port, not whoever took that first",
  async (_name, startStore) => {
    const folder = await newFolder();
    const received = join(folder, "received");
    const taker = `
    const [port, file] = process.argv.slice(1);
    const data = (_socket, bytes) => Bun.write(file, bytes);
    Bun.listen({ hostname: "127.0.0.1", port: Number(port), socket: { data } });
    setTimeout(() => process.exit(), 1_000);`;
    const supervisor = new Supervisor(folder);
    const start = supervisor.start.bind(supervisor);
    // Takes the port for a second before the store starts, under the same pid.
    spyOn(supervisor, "start").mockImplementation((program) => {
      const [, port] = /port[= ](\d+)/.exec(program.command.join(" ")) ?? [];
      if (!port) return start(program);
      const before = [process.execPath, "-e", taker, port, received];
      const both = [
        "/bin/sh",
        "-c",
        `"$1" "$2" "$3" "$4" "$5"; shift 5; exec "$@"`,
        "sh",
        ...before,
      ];
      return start({ ...program, command: [...both, ...program.command] });
    });
    try {
      await startStore(supervisor);
      expect(await Bun.file(received).exists()).toBe(false);
    } finally {
      await supervisor.stop();
    }
  },
);
