import { expect, test } from "bun:test";
import { join } from "node:path";
import pino from "pino";
import { until } from "../scripts/stack/waiting.ts";
import { addBusiness } from "./fixtures.ts";
import { createDatabase, runProgram, startTestServer, untilBlocked } from "./support.ts";

test("the log has what went wrong, but not the command that Redis refused", async () => {
  const module = join(import.meta.dir, "..", "src", "process.ts");
  const program = `
    const { createLog } = await import(${JSON.stringify(module)});
    const command = { name: "evalsha", args: ["admissions:{203.0.113.9}", "a password"] };
    const err = Object.assign(new Error("OOM command not allowed"), { code: "OOM", command });
    const log = createLog();
    log.error({ err }, "it failed");
    log.error({ err: "a text" }, "it failed");`;
  const { stderr } = await runProgram([process.execPath, "-e", program]);
  const lines = stderr.trim().split("\n");
  const [first, second] = lines.map((line) => JSON.parse(line));
  expect(first).toMatchObject({
    msg: "it failed",
    err: { message: "OOM command not allowed", code: "OOM" },
  });
  expect(lines[0]).not.toContain("203.0.113.9");
  expect(second).toMatchObject({ err: "a text" });
});

test("the log says which constraint a row violates, but has nothing of the row", async () => {
  await using database = await createDatabase();
  const source = join(import.meta.dir, "..", "src");
  const program = `
    const { createLog } = await import(${JSON.stringify(join(source, "process.ts"))});
    const { openPostgres } = await import(${JSON.stringify(join(source, "store", "postgres.ts"))});
    await using sql = openPostgres(${JSON.stringify(database.url)}, { max: 1 });
    const log = createLog();
    // Then it quotes what it was sent, too.
    await sql\`set log_parameter_max_length_on_error = -1\`;
    const row = { name: "Ann Private", email: "no address", purpose: "My own business." };
    await sql\`insert into applications \${sql(row)}\`.catch((err) => log.error({ err }, "it failed"));`;
  const { stderr } = await runProgram([process.execPath, "-e", program]);
  expect(JSON.parse(stderr).err).toMatchObject({
    code: "23514",
    table_name: "applications",
    constraint_name: "applications_email_check",
  });
  for (const typed of ["Ann Private", "no address", "My own business."]) {
    expect(stderr).not.toContain(typed);
  }
});

test("the log has no stack for a store that is away, but one for any other error", async () => {
  const source = join(import.meta.dir, "..", "src");
  const program = `
    const { createLog } = await import(${JSON.stringify(join(source, "process.ts"))});
    const { DeadlineError } = await import(${JSON.stringify(join(source, "store", "deadline.ts"))});
    const { AdmissionUnavailable } = await import(${JSON.stringify(join(source, "access", "decisions.ts"))});
    const { MeilisearchError } = await import("meilisearch");
    const log = createLog();
    const cause = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
    const slow = new DeadlineError("too late");
    const search = new MeilisearchError("no answer", { cause });
    const admission = new AdmissionUnavailable("not read", { cause: slow });
    for (const err of [cause, slow, search, admission, new Error("a bug")]) log.error({ err }, "it failed");`;
  const { stderr } = await runProgram([process.execPath, "-e", program]);
  const lines = stderr.trim().split("\n");
  const told = lines.map((line) => {
    const { message, stack } = JSON.parse(line).err;
    return [message, stack !== undefined];
  });
  expect(told).toEqual([
    ["connect ECONNREFUSED", false],
    ["too late", false],
    ["no answer: connect ECONNREFUSED", false],
    ["not read: too late", false],
    ["a bug", true],
  ]);
});

test("the log says of what type the error was that Redis went down with", async () => {
  const source = join(import.meta.dir, "..", "src");
  const program = `
    const { createLog } = await import(${JSON.stringify(join(source, "process.ts"))});
    const { logOutages } = await import(${JSON.stringify(join(source, "access", "outage-log.ts"))});
    const redis = new (await import("node:events")).EventEmitter();
    const onChange = logOutages(redis, createLog());
    redis.emit("error", Object.assign(new TypeError("no route"), { code: "ECONNREFUSED" }));
    onChange(true);`;
  const { stderr } = await runProgram([process.execPath, "-e", program]);
  expect(JSON.parse(stderr).err).toEqual({
    type: "TypeError",
    message: "no route",
    code: "ECONNREFUSED",
  });
});

test("what could not be closed, or hangs, is logged one by one, without a stack when it is a store that is away", async () => {
  const module = join(import.meta.dir, "..", "src", "process.ts");
  const program = `
    // Timers run ten times as fast: any faster, a busy machine might end it before it has given up what hangs.
    const inTime = setTimeout;
    globalThis.setTimeout = (run, milliseconds) => inTime(run, milliseconds / 10);
    const { closeInOrder, createLog, stopOnSignal } = await import(${JSON.stringify(module)});
    const away = Object.assign(new Error("connect refused"), { code: "ECONNREFUSED" });
    const hangs = () => new Promise(() => {});
    const opened = [() => { throw new Error("a fault"); }, () => { throw away; }, hangs];
    stopOnSignal(() => closeInOrder(opened), createLog());
    process.kill(process.pid, "SIGTERM");
    setInterval(() => {}, 60_000);`;
  const { stderr } = await runProgram([process.execPath, "-e", program]);
  const faults = stderr
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
    .slice(1);
  expect(faults.map(({ msg, err }) => [msg, err.message, "stack" in err])).toEqual([
    ["could not stop cleanly", "no answer within 5000 ms", false],
    ["could not stop cleanly", "connect refused", false],
    ["could not stop cleanly", "a fault", true],
  ]);
});

test("the log has each line once and in order, including those just before the process exits", async () => {
  const module = join(import.meta.dir, "..", "src", "process.ts");
  const program = `
    const { createLog } = await import(${JSON.stringify(module)});
    const log = createLog();
    for (let number = 1; number <= 5; number++) log.error({ number }, "it failed");
    process.exit(1);`;
  // What is written asynchronously is lost in some of many runs, so in at least one of these.
  const runs = Array.from({ length: 30 }, async () => {
    const child = Bun.spawn([process.execPath, "-e", program], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    const lines = (await new Response(child.stderr).text()).trim().split("\n");
    return lines.map((line) => (JSON.parse(line) as { number: number }).number);
  });
  for (const run of runs) expect(await run).toEqual([1, 2, 3, 4, 5]);
});

test.each([
  ["new Promise(() => {})", "ended before everything was closed cleanly"],
  ['Promise.reject(new Error("a fault"))', "could not stop cleanly"],
])(
  "a process that cannot shut down gracefully exits all the same, whatever signals follow: %s",
  async (stopped, told) => {
    const module = join(import.meta.dir, "..", "src", "process.ts");
    const program = `
    // Timers run a hundred times as fast, so that nobody has to wait.
    const inTime = setTimeout;
    globalThis.setTimeout = (run, milliseconds) => inTime(run, milliseconds / 100);
    const { createLog, stopOnSignal } = await import(${JSON.stringify(module)});
    stopOnSignal(() => ${stopped}, createLog());
    setInterval(() => {}, 60_000);
    console.log("ready");`;
    const child = Bun.spawn([process.execPath, "-e", program], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    try {
      await child.stdout.getReader().read();
      child.kill("SIGTERM");
      child.kill("SIGINT");
      expect(await child.exited).toBe(1);
      const lines = (await new Response(child.stderr).text()).trimEnd().split("\n");
      expect(lines.map((line) => JSON.parse(line).msg)).toEqual(["stopping", told]);
    } finally {
      child.kill("SIGKILL");
    }
  },
);

test("the same signal twice in a row, as from systemd and from bun run, still stops it gracefully", async () => {
  const child = await stopping("new Promise((done) => setTimeout(done, 300))");
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
});

test("the same signal once more, over a second later, ends it at once", async () => {
  const child = await stopping("new Promise(() => {})");
  await until(() => {
    child.kill("SIGTERM");
    return child.signalCode !== null || child.exitCode !== null;
  }, 8_000);
  expect(child.signalCode).toBe("SIGTERM");
}, 10_000);

test("a server that stops finishes the requests in flight, also slow ones", async () => {
  const server = await startTestServer();
  const { slug } = await addBusiness(server.sql);
  let stopped: Promise<void> | undefined;
  let answer: Promise<Response> | undefined;
  await server.sql.begin(async (transaction) => {
    await transaction`lock table businesses in access exclusive mode`;
    answer = fetch(`${server.url}/api/v1/businesses/${slug}`);
    await untilBlocked(server.sql);
    stopped = server.stop();
    // Less than an answer may take.
    await Bun.sleep(2_000);
  });
  expect((await answer)?.status).toBe(200);
  await stopped;
});

test("a server shuts down gracefully although a request has arrived only in part", async () => {
  const lines: string[] = [];
  const log = pino({ level: "warn" }, { write: (line) => lines.push(line) });
  const server = await startTestServer({}, { log });
  const { hostname, port } = new URL(server.url);
  const caller = await Bun.connect({ hostname, port: Number(port), socket: { data() {} } });
  caller.write("GET /healthz HTTP/1.1\r\nHost: ");
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  await server.stop();
  expect(lines).toEqual([]);
  caller.end();
});

/** A process that has been told to stop, and says so. @param stopped the code of what it then waits for */
async function stopping(stopped: string) {
  const module = join(import.meta.dir, "..", "src", "process.ts");
  const program = `
    const { createLog, stopOnSignal } = await import(${JSON.stringify(module)});
    stopOnSignal(() => ${stopped}, createLog());
    setInterval(() => {}, 60_000);
    process.kill(process.pid, "SIGTERM");`;
  const child = Bun.spawn([process.execPath, "-e", program], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const { value } = await child.stderr.getReader().read();
  expect(JSON.parse(new TextDecoder().decode(value)).msg).toBe("stopping");
  return child;
}
