import { expect, test } from "bun:test";
import { openMeilisearch } from "../../src/store/meilisearch.ts";
import { runProgram } from "../support.ts";

test("a password in the address reaches the proxy in front, and no error", async () => {
  const heard: (string | null)[] = [];
  const proxy = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      heard.push(`${new URL(request.url).pathname} ${request.headers.get("Authorization")}`);
      return Response.json({ results: [], offset: 0, limit: 1, total: 0 });
    },
  });
  const url = `http://ops:p%40ss@127.0.0.1:${proxy.port}/search`;
  const ask = (key: string) => openMeilisearch(url, key).getRawIndexes({ limit: 1 });
  await ask("");
  await ask("key");
  await proxy.stop(true);
  expect(heard).toEqual([
    `/search/indexes Basic ${btoa("ops:p@ss")}`,
    "/search/indexes Bearer key",
  ]);

  const error = await ask("").catch((fault) => fault);
  expect(error).toBeInstanceOf(Error);
  expect(Bun.inspect(error)).not.toContain("p%40ss");
});

test.each(["", "NO_PROXY", "no_proxy"])(
  "one on this machine is reached without the proxy of the environment, with %p for others",
  async (name) => {
    using server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => Response.json({ results: [], offset: 0, limit: 1, total: 7 }),
    });
    const script = `
      import { openMeilisearch } from "./src/store/meilisearch.ts";
      const { total } = await openMeilisearch("${server.url.origin}", "").getRawIndexes();
      console.log(total);`;
    const none = { NO_PROXY: undefined, no_proxy: undefined };
    const proxy = { http_proxy: "http://127.0.0.1:1", ...(name && { [name]: "other.example" }) };
    const env = { ...process.env, ...none, ...proxy };
    const { stdout } = await runProgram([process.execPath, "-e", script], { env });
    expect(stdout).toBe("7\n");
  },
);
