import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { openChromium } from "../../scripts/stack/chromium.ts";
import { operations } from "../../src/reference/operations.ts";
import { addBusiness } from "../fixtures.ts";
import { startTestServer, type TestServer } from "../support.ts";

let server: TestServer;
let browser: Browser;
beforeAll(async () => {
  server = await startTestServer();
  await addBusiness(server.sql, { name: "The Only Shop", city: "Leeds", category: "plumbers" });
  browser = await openChromium();
}, 30_000);
afterAll(async () => {
  await browser.close();
  await server.stop();
});

test("the reference shows every operation and runs one, without a word to another host or an error", async () => {
  const tab = await browser.newPage();
  const hosts = new Set<string>();
  const faults: string[] = [];
  tab.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith("http")) hosts.add(origin);
  });
  tab.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  tab.on("pageerror", (error) => faults.push(error.message));

  await tab.goto(`${server.url}/developers/reference`);
  for (const { summary } of operations) {
    await tab.getByRole("link", { name: summary }).waitFor();
  }
  await tab
    .getByRole("button", { name: /Test Request/ })
    .first()
    .click();
  await tab.getByRole("button", { name: /Send/ }).first().click();
  await tab.getByText("The Only Shop").first().waitFor();

  expect([...hosts]).toEqual([server.url]);
  expect(faults).toEqual([]);
  await tab.close();
}, 30_000);

test("without scripts the reference says where else it can be read", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const tab = await context.newPage();
  await tab.goto(`${server.url}/developers/reference`);
  await tab.getByRole("link", { name: "openapi.json" }).click();
  expect(tab.url()).toBe(`${server.url}/api/v1/openapi.json`);
  await context.close();
}, 30_000);
