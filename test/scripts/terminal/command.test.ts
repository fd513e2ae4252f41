import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createDatabase, newFolder, runProgram, runScript, stores } from "../../support.ts";

const ROOT = join(import.meta.dir, "..", "..", "..");

function command(body: string) {
  const script = `
    import { writeFile } from "node:fs/promises";
    import { runCommand } from "./scripts/terminal/command.ts";
    await runCommand("", async () => { ${body} });`;
  return runProgram([process.execPath, "-e", script], { cwd: ROOT });
}

test.skipIf(!existsSync("/dev/full"))(
  "a full disk gets one line that says what to do",
  async () => {
    expect(await command('await writeFile("/dev/full", "text")')).toEqual({
      stdout: "",
      stderr:
        "No space is left to write (ENOSPC: no space left on device, write): free some, then try again.\n",
      exitCode: 1,
    });
  },
);

test.each([
  ["EDQUOT: quota exceeded, write", "No space is left to write"],
  ["EROFS: read-only file system, open 'a'", "The destination is read-only"],
])("a disk that says %s gets one line that says what is wrong", async (message, told) => {
  const error = { code: message.split(":")[0] };
  const { stderr, exitCode } = await command(
    `throw Object.assign(new Error(${JSON.stringify(message)}), ${JSON.stringify(error)})`,
  );
  expect(stderr).toStartWith(`${told} (${message}): `);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  expect(exitCode).toBe(1);
});

test.each([
  ["ENOTDIR", 'await readFile("README.md/mapping.json")'],
  ["EEXIST", 'await mkdir("README.md", { recursive: true })'],
  ["ELOOP", 'await symlink("circle", folder + "/circle"); await readFile(folder + "/circle")'],
  ["ENAMETOOLONG", 'await readFile("a".repeat(300))'],
  // Not even root may do that, nor anybody else with the logs of another account.
  ...(process.platform === "linux" ? [["EPERM", 'await chmod("/proc/self/status", 0o700)']] : []),
] as [string, string][])("an unusable path gets one line: %s", async (code, body) => {
  const folder = JSON.stringify(await newFolder());
  const { stderr, exitCode } = await command(`
    const { chmod, mkdir, readFile, symlink } = await import("node:fs/promises");
    const folder = ${folder};
    ${body}`);
  expect(stderr).toStartWith(`${code}: `);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  expect(exitCode).toBe(1);
});

test("a Meilisearch that truncates a payload, as on a full disk, gets a line that says so", async () => {
  const message = "The `json` payload provided is malformed.";
  const { stderr, exitCode } = await command(`
    const { MeilisearchApiError } = await import("meilisearch");
    const answer = { code: "malformed_payload", message: ${JSON.stringify(message)} };
    throw new MeilisearchApiError(new Response(null, { status: 400 }), answer);`);
  expect({ stderr, exitCode }).toEqual({
    stderr: `Cannot bring search up to date: ${message} Is Meilisearch's disk full?\n`,
    exitCode: 1,
  });
});

test("an address that asks for TLS of a PostgreSQL without it gets a line that says so", async () => {
  await using database = await createDatabase();
  const address = `${database.url}?sslmode=require`;
  const { stderr, exitCode } = await runScript(address, "keys", ["list"]);
  expect(stderr).toMatch(
    /^PostgreSQL broke off when TLS was to begin \(.+leave sslmode out of .+\n$/,
  );
  expect(exitCode).toBe(1);
});

test.each(["?channel_binding=require", "?jit=perhaps"])(
  "an address of PostgreSQL that ends with %s gets one line",
  async (end) => {
    await using database = await createDatabase();
    const { stderr, exitCode } = await runScript(database.url + end, "keys", ["list"]);
    expect(stderr).toMatch(
      /^PostgreSQL refuses: .+ "(channel_binding|jit)".*\. Look at DATABASE_URL\.\n$/,
    );
    expect(exitCode).toBe(1);
  },
);

test("a statement that needs more temporary files than its role may have gets one line", async () => {
  const { stderr, exitCode } = await command(`
    const { openPostgres } = await import("./src/store/postgres.ts");
    await using sql = openPostgres(${JSON.stringify(stores().databaseUrl)}, { max: 1 });
    await sql\`select set_config('temp_file_limit', '1', false), set_config('work_mem', '64kB', false)\`;
    await sql\`select n from generate_series(1, 100000) as n order by md5(n::text)\`;`);
  expect({ stderr, exitCode }).toEqual({
    stderr:
      'PostgreSQL refuses: temporary file size exceeds "temp_file_limit" (1kB). Raise that limit for its role.\n',
    exitCode: 1,
  });
});

test("a tunnel to a PostgreSQL that does not run gets a line that asks whether it does", async () => {
  using tunnel = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    // What is closed before all is read may be reset, which is another error.
    socket: { data: (socket) => void socket.end() },
  });
  const address = `127.0.0.1:${tunnel.port}`;
  const { stderr, exitCode } = await runScript(`postgres://name@${address}/any`, "keys", ["list"]);
  expect(stderr).toMatch(
    new RegExp(
      `^The connection to PostgreSQL was broken off \\(.+ ${address}\\). Is it running there\\?.*\n$`,
    ),
  );
  expect(exitCode).toBe(1);
});

test("a role without the rights to read gets a line that says where they are listed", async () => {
  await using database = await createDatabase();
  await database.sql`create role without_rights login password 'secret'`;
  const url = new URL(database.url);
  url.username = "without_rights";
  url.password = "secret";
  const { stderr, exitCode } = await runScript(url.href, "keys", ["list"]);
  await database.sql`drop role without_rights`;
  expect(stderr).toBe(
    "PostgreSQL refuses: permission denied for table migrations. The operators' guide says which rights the role of DATABASE_URL needs.\n",
  );
  expect(exitCode).toBe(1);
});

test("a role that may not use the schema gets a line that says where its rights are listed, when it migrates", async () => {
  await using database = await createDatabase();
  const url = new URL(database.url);
  url.username = "without_schema";
  url.password = "secret";
  await database.sql.unsafe(`
    create role without_schema login password 'secret';
    alter role without_schema in database "${url.pathname.slice(1)}" set search_path = hidden`);
  const { stderr, exitCode } = await runScript(url.href, "migrate", []);
  await database.sql`drop role without_schema`;
  expect(stderr).toBe(
    "PostgreSQL refuses: no schema has been selected to create in. The operators' guide says which rights the role of DATABASE_URL needs.\n",
  );
  expect(exitCode).toBe(1);
});

test.each([
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "self signed certificate"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "unable to verify the first certificate"],
])("a certificate that is not trusted (%s) gets one line", async (code, message) => {
  const { stderr, exitCode } = await command(
    `throw Object.assign(new Error("${message}"), { code: "${code}" });`,
  );
  expect(stderr).toStartWith(`A store's certificate is not trusted: ${message}. `);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  expect(exitCode).toBe(1);
});

test("a deadlock gets one line that says to try again", async () => {
  await using database = await createDatabase();
  const { url } = database;
  const { stderr, exitCode } = await command(`
    const { openPostgres } = await import("./src/store/postgres.ts");
    const sql = openPostgres(${JSON.stringify(url)}, { max: 2 });
    const both = Promise.withResolvers();
    let holders = 0;
    const lock = (first, second) =>
      sql.begin(async (transaction) => {
        await transaction\`select pg_advisory_xact_lock(\${first})\`;
        if (++holders === 2) both.resolve();
        await both.promise;
        await transaction\`select pg_advisory_xact_lock(\${second})\`;
      });
    const [one, other] = await Promise.allSettled([lock(1, 2), lock(2, 1)]);
    await sql.end();
    throw one.reason ?? other.reason;`);
  expect(stderr).toBe(
    "A concurrent change was in the way, and PostgreSQL cancelled this one: deadlock detected. Try again.\n",
  );
  expect(exitCode).toBe(1);
});

test("an internal error keeps its stack", async () => {
  const { stderr, exitCode } = await command('throw new Error("a fault")');
  expect(stderr).toContain("    at ");
  expect(exitCode).toBe(1);
});
