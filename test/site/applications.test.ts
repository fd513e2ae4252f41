import { afterAll, describe, expect, setSystemTime, test } from "bun:test";
import { connect } from "node:net";
import { until } from "../../scripts/stack/waiting.ts";
import {
  approveApplication,
  declineApplication,
  listWaiting,
} from "../../src/access/applications.ts";
import { delayedBy, newAddress, startTestServer, untilBlocked } from "../support.ts";

// Applying and the private page, as seen by an attacker.

const server = await startTestServer();
afterAll(() => server.stop());

const ada = { name: "Ada", email: "ada@map.example", purpose: "A map" };
const evil = `"><script>alert(1)</script><img src=x onerror=alert(2)>{{7*7}}\${7*7}</textarea>`;

async function send(
  path: string,
  fields?: Record<string, string>,
  headers: Record<string, string> = {},
) {
  const response = await fetch(server.url + path, {
    redirect: "manual",
    ...(fields && { method: "POST", body: new URLSearchParams(fields) }),
    headers: {
      Accept: "text/html",
      "X-Forwarded-For": newAddress(),
      ...(fields && { Origin: server.url }),
      ...headers,
    },
  });
  const location = response.headers.get("Location") ?? "";
  return {
    status: response.status,
    headers: response.headers,
    location,
    html: await response.text(),
  };
}

const applyAs = (fields: Record<string, string>, headers?: Record<string, string>) =>
  send("/developers/applications", fields, headers);

/** Sends the beginning of a form, and stops. */
function sendHalf(path: string, client = newAddress()) {
  const { host, port } = new URL(server.url);
  const socket = connect(Number(port), "127.0.0.1");
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${server.url}\r\nX-Forwarded-For: ${client}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 20\r\n\r\nname=Ada`,
  );
  return socket;
}

async function answerToHalf(path: string, client?: string): Promise<string> {
  const socket = sendHalf(path, client);
  let answer = "";
  socket.on("data", (data) => {
    answer += data;
  });
  await until(async () => answer.includes("</html>"), 5_000);
  socket.destroy();
  return answer;
}

const newest = async () => (await listWaiting(server.sql)).at(-1)?.id ?? "";
const countRows = async () => (await server.sql`select from applications`).length;

describe("applying", () => {
  test("leads to a private page that is never cached and never leaks its address", async () => {
    const applied = await applyAs(ada);
    expect(applied.status).toBe(303);
    expect(applied.location).toMatch(/^\/developers\/applications\/[\w-]{22}$/);
    const { status, headers, html } = await send(applied.location);
    expect([status, html.includes("is waiting")]).toEqual([200, true]);
    expect(headers.get("Cache-Control")).toBe("no-store");
    expect(headers.get("Referrer-Policy")).toBe("no-referrer");
    expect(headers.get("X-Robots-Tag")).toBe("noindex");
  });

  test("says beside each field what is wrong, and keeps what was typed", async () => {
    const before = await countRows();
    for (const [fields, fault] of [
      [{ ...ada, name: " " }, 'id="name-fault"'],
      [{ ...ada, email: "ada at home" }, 'id="email-fault"'],
      [{ ...ada, purpose: "" }, "in a sentence what you want to build"],
      [{ ...ada, name: "x".repeat(201) }, 'id="name-fault"'],
      [{ ...ada, purpose: "x".repeat(2_001) }, 'id="purpose-fault"'],
      [{ ...ada, name: "a\u0000b" }, 'id="name-fault"'],
      [{ ...ada, purpose: "a\u0000b" }, 'id="purpose-fault"'],
      [{ ...ada, homepage: "https://spam.example" }, "must stay empty"],
      [{}, 'id="email-fault"'],
    ] as [Record<string, string>, string][]) {
      const { status, headers, html } = await applyAs(fields);
      expect([fault, status]).toEqual([fault, 422]);
      expect(headers.get("Cache-Control")).toBe("private, no-cache");
      expect(html).toContain(fault);
      if (fields.email) expect(html).toContain(`value="${fields.email}"`);
    }
    expect(await countRows()).toBe(before);
  });

  test("is refused from another site, or from a page with an opaque origin", async () => {
    const before = await countRows();
    for (const headers of [
      { Origin: "https://evil.example" },
      { Origin: "null" },
      { Origin: "" },
      { Origin: `${server.url}.evil.example` },
      { Origin: server.url, "Sec-Fetch-Site": "cross-site" },
      { Origin: server.url, "Sec-Fetch-Site": "same-site" },
    ]) {
      const { status, html } = await applyAs(ada, headers as Record<string, string>);
      expect([headers, status]).toEqual([headers, 403]);
      expect(html).toContain('value="Ada"');
    }
    expect(await countRows()).toBe(before);
  });

  test("works for a program, which sends neither Origin nor Sec-Fetch-Site", async () => {
    const before = await countRows();
    const answer = await fetch(`${server.url}/developers/applications`, {
      method: "POST",
      // Lines end as browsers send them.
      body: new URLSearchParams({ ...ada, purpose: "A map\r\nof bakeries" }),
      headers: { "X-Forwarded-For": newAddress() },
      redirect: "manual",
    });
    expect(answer.status).toBe(303);
    const waiting = await listWaiting(server.sql);
    expect(waiting.at(-1)?.purpose).toBe("A map\nof bakeries");
    expect(answer.headers.get("Location")).toMatch(/^\/developers\/applications\/[\w-]{22}$/);
    expect(await countRows()).toBe(before + 1);
  });

  test("works behind a proxy that forwards another Host than its own", async () => {
    const { origin, host } = new URL(server.config.baseUrl);
    expect(host).not.toBe(new URL(server.url).host);
    expect((await applyAs(ada, { Origin: origin })).status).toBe(303);
  });

  test("works in a browser that hides the origin, but says that it is ours", async () => {
    const hidden = { Origin: "null", "Sec-Fetch-Site": "same-origin" };
    expect((await applyAs(ada, hidden)).status).toBe(303);
  });

  test("works whatever the case of the content type, which is case-insensitive", async () => {
    const type = "Application/X-WWW-Form-URLEncoded; Charset=UTF-8";
    expect((await applyAs(ada, { "Content-Type": type })).status).toBe(303);
  });

  test("accepts nothing but a form", async () => {
    const before = await countRows();
    for (const type of ["text/plain", "application/json"]) {
      expect((await applyAs(ada, { "Content-Type": type })).status).toBe(422);
    }
    expect(await countRows()).toBe(before);
  });

  test("works five times an hour for a client, also with 50 at once", async () => {
    const before = await countRows();
    const client = { "X-Forwarded-For": newAddress() };
    await applyAs({ ...ada, email: "typing error" }, client);
    const all = await Promise.all(Array.from({ length: 50 }, () => applyAs(ada, client)));
    const statuses = all.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(5).fill(303), ...Array(45).fill(429)]);
    expect(await countRows()).toBe(before + 5);
    const refused = all.find(({ status }) => status === 429);
    expect(refused?.html).toContain('value="ada@map.example"');
    expect(Number(refused?.headers.get("Retry-After"))).toBeWithin(3_500, 3_601);
    expect((await applyAs(ada)).status).toBe(303);
  });

  test("with endless mistakes is limited too, and still returns what was typed", async () => {
    const before = await countRows();
    const address = newAddress();
    const client = { "X-Forwarded-For": address };
    const statuses = new Set<number>();
    for (let tries = 0; tries < 120; tries++) {
      statuses.add((await applyAs({ ...ada, email: "typing error" }, client)).status);
    }
    expect([...statuses]).toEqual([422]);
    for (const email of ["typing error", ada.email, ada.email]) {
      const { status, headers, html } = await applyAs({ ...ada, email }, client);
      expect(status).toBe(429);
      expect(Number(headers.get("Retry-After"))).toBeWithin(1, 61);
      expect(headers.get("Cache-Control")).toBe("private, no-cache");
      expect(html).toMatch(/What you typed is kept\. Try again in \d+ seconds?\./);
      expect(html).toContain(`value="${email}"`);
    }
    // A refused form can be sent any number of times, so one this large is no longer read.
    const large = await applyAs({ ...ada, purpose: "x".repeat(10_000) }, client);
    expect(large.status).toBe(429);
    const late = await answerToHalf("/developers/applications", address);
    expect(late).toStartWith("HTTP/1.1 429 ");
    for (const html of [large.html, late]) {
      expect(html).toContain("go back in your browser");
      expect(html).not.toContain("What you typed is kept");
    }
    const read = await send("/developers/applications", undefined, client);
    expect([read.status, read.html]).toEqual([429, expect.stringContaining("One moment, please")]);
    expect(await countRows()).toBe(before);
  });

  test("with attacks in every field shows them as plain text", async () => {
    const fields = { name: evil, email: `${evil}@x.example`, purpose: evil };
    const refused = await applyAs(fields);
    const applied = await applyAs({ ...fields, email: "ada@map.example" });
    expect([refused.status, applied.status]).toEqual([422, 303]);
    await declineApplication(server.sql, await newest(), evil);
    for (const { html } of [refused, await send(applied.location)]) {
      expect(html).toContain("&lt;script>alert(1)");
      expect(html).not.toContain("<script>alert");
      expect(html).not.toContain("<img src=x");
      expect(html.match(/<script/g)?.length ?? 0).toBeLessThanOrEqual(1);
    }
  });

  test("accepts no larger form than people fill in", async () => {
    const { status } = await applyAs({ ...ada, purpose: "x".repeat(100_000) });
    expect(status).toBe(413);
  });

  test("reads no more fields than the form has, since thousands would block others", async () => {
    const others = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, place) => [`other${place}`, ""]));
    expect((await applyAs({ ...ada, ...others(5_000) })).status).toBe(303);
    expect((await applyAs({ ...others(5_000), ...ada })).status).toBe(422);
  });

  test("answers a form that is not sent completely with a page that says so, and does not log it as a fault", async () => {
    const answered = async (status: number) => {
      const metrics = await (await fetch(`${server.url}/metrics`)).text();
      const name = `highstreet_http_requests_total{route="/developers/applications",status="${status}"}`;
      return Number(metrics.split(`${name} `)[1]?.split("\n")[0] ?? 0);
    };
    const before = await answered(408);
    const late = await answerToHalf("/developers/applications");
    expect(late).toStartWith("HTTP/1.1 408 ");
    expect(late).toContain("go back in your browser");
    expect(late).not.toContain("What you typed is kept");
    expect(late).not.toContain("name-fault");
    // Another one is accepted, and disconnects.
    const gone = sendHalf("/developers/applications");
    await new Promise<void>((sent) => gone.once("connect", () => setImmediate(sent)));
    gone.end();
    await until(async () => (await answered(408)) === before + 2, 5_000);
    expect([await answered(500), await answered(503)]).toEqual([0, 0]);
  });

  test("over a slow connection returns what was typed also when a store hangs", async () => {
    const { host, port } = new URL(server.url);
    await server.sql.begin(async (transaction) => {
      await transaction`lock table applications in access exclusive mode`;
      const body = String(new URLSearchParams({ ...ada, name: "Ada of the slow line" }));
      const socket = connect(Number(port), "127.0.0.1");
      const answer = new Response(socket as unknown as ReadableStream).text();
      socket.write(
        `POST /developers/applications HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${server.url}\r\nX-Forwarded-For: ${newAddress()}\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 8)}`,
      );
      // Simulates a slow connection: nearly as long as a form may take to arrive.
      await Bun.sleep(1_500);
      socket.write(body.slice(8));
      const text = await answer;
      expect(text).toStartWith("HTTP/1.1 503 ");
      expect(text).toContain('value="Ada of the slow line"');
    });
    // The page says that it was not sent.
    const waiting = await listWaiting(server.sql);
    expect(waiting.filter(({ name }) => name === "Ada of the slow line")).toEqual([]);
  });
});

describe("the private page", () => {
  const approved = async (rights = { tier: "starter" }) => {
    const { location } = await applyAs(ada);
    expect(await approveApplication(server.sql, await newest(), rights)).toBe("changed");
    return location;
  };
  const keyIn = (html: string) => /<code id="key">([^<]+)/.exec(html)?.[1];

  test("reveals the key once, to one of many concurrent requests", async () => {
    const page = await approved();
    const reveals = await Promise.all(
      Array.from({ length: 8 }, () => send(page, { action: "reveal" })),
    );
    const keys = reveals.map(({ html }) => keyIn(html)).filter(Boolean);
    expect(keys.length).toBe(1);
    expect(reveals.every(({ headers }) => headers.get("Cache-Control") === "no-store")).toBe(true);
    const replayed = await send(page, { action: "reveal" });
    expect([replayed.status, keyIn(replayed.html)]).toEqual([200, undefined]);
    expect(replayed.html).toContain("shown only once");
    const called = await fetch(`${server.url}/api/v1/usage`, {
      headers: { Authorization: `Bearer ${keys[0]}` },
    });
    expect(await called.json()).toMatchObject({ data: { tier: "starter" } });
    const stored = await server.sql`select row_to_json(a)::text as row from applications as a`;
    expect(JSON.stringify(stored)).not.toContain(keys[0] as string);
  });

  test("shows a new key even when nothing else can be read", async () => {
    const page = await approved();
    await server.sql.begin(async (transaction) => {
      await transaction`lock table usage in access exclusive mode`;
      const { status, html } = await delayedBy(
        server.sql,
        // Each new key changes this row.
        (holder) => holder`select from keys_version for update`,
        () => send(page, { action: "reveal" }),
        {
          async meanwhile() {
            // Granted as soon as there is a key, before its page is read.
            transaction`lock table applications in access exclusive mode`.execute();
            await untilBlocked(server.sql, 2);
          },
        },
      );
      expect([status, keyIn(html)]).toEqual([200, expect.stringMatching(/^hs_live_/)]);
    });
    const { html } = await send(page);
    expect(html).toContain("0 of 10,000 requests used");
    expect(html).not.toContain("Reveal my key");
  });

  test("makes no key after its request has timed out, and blocks nobody else", async () => {
    const pages = [await approved(), await approved(), await approved()] as const;
    await server.sql.begin(async (transaction) => {
      // Each new key changes this row.
      await transaction`select from keys_version for update`;
      // More than the server's connections, so some begin when others have timed out.
      const reveals = Array.from({ length: 8 }, () =>
        pages.map((page) => send(page, { action: "reveal" })),
      ).flat();
      await untilBlocked(server.sql);
      // A page that is not cached yet.
      const list = await fetch(`${server.url}/api/v1/businesses?page=77`, {
        headers: { "X-Forwarded-For": newAddress() },
      });
      expect(list.status).toBe(200);
      const statuses = (await Promise.all(reveals)).map(({ status }) => status);
      expect(statuses).toEqual(Array(24).fill(503));
    });
    for (const page of pages) {
      expect((await send(page)).html).toContain("Reveal my key");
      expect(keyIn((await send(page, { action: "reveal" })).html)).toMatch(/^hs_live_/);
    }
  });

  test("does nothing when a form does not arrive completely, says so, and offers it again", async () => {
    const page = await approved();
    const late = await answerToHalf(page);
    expect(late).toStartWith("HTTP/1.1 408 ");
    expect(late).toContain("the form did not arrive in time");
    expect(late).toContain("Reveal my key");
    expect(keyIn((await send(page, { action: "reveal" })).html)).toMatch(/^hs_live_/);
  });

  test("shows a key also to a request with If-None-Match", async () => {
    const { status, html } = await send(
      await approved(),
      { action: "reveal" },
      { "If-None-Match": "*" },
    );
    expect([status, keyIn(html)]).toEqual([200, expect.stringMatching(/^hs_live_/)]);
  });

  test("reveals nothing while waiting or once declined", async () => {
    const { location } = await applyAs(ada);
    expect(keyIn((await send(location, { action: "reveal" })).html)).toBeUndefined();
    await declineApplication(server.sql, await newest(), "No maps, please");
    const declined = await send(location, { action: "reveal" });
    expect(keyIn(declined.html)).toBeUndefined();
    expect(declined.html).toContain("No maps, please");
  });

  test("cannot be guessed, and guessing is soon limited", async () => {
    const page = await approved();
    const guesses = [`${page.slice(0, -1)}!`, page.slice(0, -1), `${page}A`, page.toLowerCase()];
    for (const guess of [...guesses, "/developers/applications/AAAAAAAAAAAAAAAAAAAAAA"]) {
      for (const fields of [undefined, { action: "reveal" }]) {
        const { status, headers } = await send(guess, fields);
        expect([guess, status]).toEqual([guess, 404]);
        expect(headers.get("Referrer-Policy")).toBe("no-referrer");
      }
    }
    const client = { "X-Forwarded-For": newAddress() };
    const statuses = new Set<number>();
    for (let tries = 0; tries < 121; tries++) {
      const token = crypto
        .getRandomValues(new Uint8Array(16))
        .toBase64({ alphabet: "base64url", omitPadding: true });
      statuses.add((await send(`/developers/applications/${token}`, undefined, client)).status);
    }
    expect([...statuses]).toEqual([404, 429]);
  });

  test("does not leak its address in an error either", async () => {
    const page = await approved();
    const wrong = await fetch(server.url + page, { method: "DELETE" });
    const client = { "X-Forwarded-For": newAddress() };
    let late = await send(page, undefined, client);
    while (late.status === 200) late = await send(page, undefined, client);
    for (const { status, headers } of [wrong, late]) {
      expect([status, headers.get("Referrer-Policy")]).toEqual([status, "no-referrer"]);
    }
    expect([wrong.status, late.status]).toEqual([405, 429]);
  });

  test("takes a form wherever a browser says that it comes from: its address is the secret", async () => {
    for (const headers of [
      // Without a referrer, browsers send the origin of our own page as "null", older ones without Sec-Fetch-Site.
      { Origin: "null", "Sec-Fetch-Site": "same-origin" },
      { Origin: "null" },
      { Origin: "https://elsewhere.example", "Sec-Fetch-Site": "cross-site" },
    ] as Record<string, string>[]) {
      const { html } = await send(await approved(), { action: "reveal" }, headers);
      expect([headers, keyIn(html)]).toEqual([headers, expect.stringMatching(/^hs_live_/)]);
    }
  });

  test("controls only its own keys, rolls with a grace period, and revokes", async () => {
    const [mine, other] = [await approved(), await approved()];
    const key = keyIn((await send(mine, { action: "reveal" })).html) as string;
    await send(other, { action: "reveal" });
    const foreign = await send(mine, { action: "revoke", key: await idOn(other) });
    expect(foreign.html).toContain("not one of yours");
    expect(foreign.html).toContain("<title>Nothing was changed · Highstreet</title>");
    expect(await countRevoked()).toBe(0);

    const rolled = await send(mine, { action: "roll", key: await idOn(mine), grace: "3600" });
    expect(rolled.html).toMatch(/works until \d\d? [A-Z][a-z]+ \d{4} at \d\d:\d\d UTC/);
    const next = keyIn(rolled.html) as string;
    expect(next).not.toBe(key);
    const statusOf = async (bearer: string) =>
      (
        await fetch(`${server.url}/api/v1/usage`, {
          headers: { Authorization: `Bearer ${bearer}` },
        })
      ).status;
    expect([await statusOf(key), await statusOf(next)]).toEqual([200, 200]);
    const revoked = await send(mine, { action: "revoke", key: await idOn(mine) });
    expect(revoked.html).toContain("is revoked");
    expect(await countRevoked()).toBe(1);
    // The old key works for its grace period, and counts.
    expect(revoked.html).toContain("requests used");
  });

  test("rolls no key with a grace period that it does not offer", async () => {
    const page = await approved();
    await send(page, { action: "reveal" });
    const key = await idOn(page);
    for (const period of [{}, { grace: "" }, { grace: "60" }, { grace: "-1" }, { grace: "0x0" }]) {
      const { status, html } = await send(page, { action: "roll", key, ...period });
      expect([period, status, keyIn(html)]).toEqual([period, 200, undefined]);
      expect(html).toContain("Nothing was changed");
      expect(html).toContain("Active, does not expire.");
    }
    // Whatever the clock of this server says: that of PostgreSQL ends the grace period.
    setSystemTime(Date.now() - 3_600_000);
    const { html } = await send(page, { action: "roll", key, grace: "0" }).finally(() =>
      setSystemTime(),
    );
    expect([keyIn(html), html]).toEqual([
      expect.any(String),
      expect.stringContaining("has stopped"),
    ]);
    expect(html.match(/Expired on|Active, does/g)).toEqual(["Active, does", "Expired on"]);
  });

  test("limits rolls a day, and lists the newest keys only", async () => {
    const page = await approved();
    await send(page, { action: "reveal" });
    const roll = async () =>
      await send(page, { action: "roll", key: await idOn(page), grace: "0" });
    for (let made = 1; made < 10; made++) expect(keyIn((await roll()).html)).toBeDefined();
    const { html } = await roll();
    expect(keyIn(html)).toBeUndefined();
    expect(html).toContain("at most 10 keys can be made in 24 hours");

    const [{ id }] = await server.sql<[{ id: string }]>`
      update api_keys set created_at = created_at - interval '1 day'
      where meter_id = (select meter_id from api_keys where id = ${await idOn(page)})
      returning meter_id as id`;
    const newest = keyIn((await roll()).html);
    expect(newest).toBeDefined();
    await server.sql`
      insert into api_keys (meter_id, key_hash, hint, name, email, tier, created_at)
      select ${id}, sha256(n::text::bytea), 'hs_live_', 'Ada', 'ada@map.example', 'developer',
        now() - interval '2 days'
      from generate_series(1, 200) as n`;
    const listed = (await send(page)).html;
    expect(listed.match(/<h3>/g)?.length).toBe(100);
    expect(listed).toContain(`${newest?.slice(0, 12)}…`);
  });

  const idOn = async (page: string) =>
    /name="key" value="([^"]+)"/.exec((await send(page)).html)?.[1] ?? "";
  const countRevoked = async () =>
    (await server.sql`select from api_keys where revoked_at is not null`).length;
});
