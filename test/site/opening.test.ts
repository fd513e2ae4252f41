import { describe, expect, test } from "bun:test";
import { renderToString } from "preact-render-to-string";
import { parseOpeningHours } from "../../src/directory/opening-hours.ts";
import type { weekdays } from "../../src/directory/weekdays.ts";
import { Hours } from "../../src/site/hours.tsx";
import { openState, wallClock } from "../../src/site/opening.ts";

const entry = (day: (typeof weekdays)[number], openTime: string, closeTime: string) => ({
  day,
  openTime,
  closeTime,
  isClosed: false,
  is24Hours: false,
});
const hours = [
  entry("MONDAY", "09:00", "12:30"),
  entry("MONDAY", "13:30", "17:00"),
  entry("FRIDAY", "18:00", "02:00"),
  { ...entry("SATURDAY", "", ""), is24Hours: true },
  { ...entry("SUNDAY", "", ""), isClosed: true },
];
const at = (time: string) => openState(hours, new Date(time));

describe("openState", () => {
  test("knows split shifts to the minute", () => {
    expect(at("2026-11-23T08:59:59Z")).toEqual({ state: "closed", opens: "at 09:00" });
    expect(at("2026-11-23T09:00:00Z")).toEqual({ state: "open", until: "12:30" });
    expect(at("2026-11-23T12:30:00Z")).toEqual({ state: "closed", opens: "at 13:30" });
    expect(at("2026-11-23T13:30:00Z")).toEqual({ state: "open", until: "17:00" });
  });
  test("uses British time, including summer time", () => {
    expect(at("2026-07-20T08:00:00Z")).toEqual({ state: "open", until: "12:30" });
    expect(at("2026-07-20T07:59:00Z")).toEqual({ state: "closed", opens: "at 09:00" });
  });
  test("stays open past midnight, also when the next day is closed", () => {
    const late = [entry("SATURDAY", "20:00", "03:00"), hours[4] as (typeof hours)[number]];
    expect(openState(late, new Date("2026-11-29T02:59:00Z"))).toEqual({
      state: "open",
      until: "03:00",
    });
    expect(openState(late, new Date("2026-11-29T03:00:00Z")).state).toBe("closed");
  });
  test("an interval that ends at the time it begins is a whole day", () => {
    const round = [entry("MONDAY", "06:00", "06:00")];
    expect(openState(round, new Date("2026-11-24T05:59:00Z")).state).toBe("open");
    expect(openState(round, new Date("2026-11-24T06:00:00Z")).state).toBe("unknown");
  });
  test("a day of 24 hours ends at midnight when the next is closed or unknown", () => {
    const open = { state: "open", until: "midnight" } as const;
    expect(at("2026-11-28T12:00:00Z")).toEqual(open);
    // The night that ends at 02:00 runs into it.
    expect(at("2026-11-28T01:59:00Z")).toEqual(open);
    expect(at("2026-11-28T23:59:00Z")).toEqual(open);
    expect(at("2026-11-29T00:00:00Z")).toEqual({ state: "closed", opens: "tomorrow at 09:00" });
    const alone = [entry("MONDAY", "00:00", "00:00")];
    expect(openState(alone, new Date("2026-11-23T12:00:00Z"))).toEqual(open);
    expect(openState(alone, new Date("2026-11-24T00:00:00Z"))).toEqual({ state: "unknown" });
  });
  for (const [text, time, until] of [
    ["Fr 18:00-00:00; Sa 00:00-03:00", "2026-11-27T20:00:00Z", "03:00"],
    ["Fr 18:00-00:00; Sa 04:00-06:00", "2026-11-27T20:00:00Z", "midnight"],
    ["We 09:00-09:00; Th 06:00-10:00", "2026-11-26T07:00:00Z", "10:00"],
    ["Mo 09:00-13:00,12:00-17:00", "2026-11-23T10:00:00Z", "17:00"],
    ["Su 20:00-00:00; Mo 00:00-02:00", "2026-11-29T21:00:00Z", "02:00"],
    ["Su 20:00-02:00", "2026-11-30T01:00:00Z", "02:00"],
    // A time alone would be read as one of today.
    ["Fr 18:00-02:00; Sa 00:00-24:00", "2026-11-27T23:59:00Z", "Sunday at 00:00"],
    ["We 09:00-09:00; Th 06:00-10:00", "2026-11-25T09:30:00Z", "Thursday at 10:00"],
    ["We 09:00-09:00; Th 09:00-10:00", "2026-11-25T10:00:00Z", "Thursday at 10:00"],
    ["Sa 00:00-24:00; Su 00:00-02:00", "2026-11-28T12:00:00Z", "02:00"],
    ["Sa-Su 00:00-24:00; Mo off", "2026-11-28T12:00:00Z", "Monday at 00:00"],
    ["Mo-Sa 00:00-24:00; Su off", "2026-11-23T00:00:00Z", "Sunday at 00:00"],
    ["Mo-Su 06:00-06:00", "2026-11-25T09:30:00Z", undefined],
    ["Mo-Su 00:00-24:00", "2026-11-29T23:59:00Z", undefined],
  ] as const) {
    test(`with ${text} is open until ${until ?? "no end"}`, () => {
      const state = openState(parseOpeningHours(text), new Date(time));
      expect(state).toEqual({ state: "open", ...(until && { until }) });
    });
  }
  for (const [text, time, opens] of [
    ["Mo-Su 16:00-23:00", "2026-11-25T12:00:00Z", "at 16:00"],
    ["Mo 13:30-17:00,09:00-12:30", "2026-11-23T08:00:00Z", "at 09:00"],
    ["Mo-Su 09:00-17:00", "2026-11-25T18:00:00Z", "tomorrow at 09:00"],
    ["Mo-Fr 09:00-17:00; Sa-Su off", "2026-11-27T18:00:00Z", "on Monday at 09:00"],
    ["Mo 09:00-12:00; Tu-Su off", "2026-11-23T14:00:00Z", "on Monday at 09:00"],
    ["Fr 09:00-17:00; Sa 00:00-24:00", "2026-11-27T18:00:00Z", "at midnight"],
    ["Fr 09:00-17:00; Sa off; Su 00:00-24:00", "2026-11-27T18:00:00Z", "on Sunday at 00:00"],
    // Perhaps it opens on Saturday, whose hours are unknown.
    ["Mo-Fr 09:00-17:00", "2026-11-27T18:00:00Z", undefined],
    ["Mo-Su off", "2026-11-27T18:00:00Z", undefined],
  ] as const) {
    test(`with ${text} is closed on ${time.slice(0, 10)} and opens ${opens ?? "at an unknown time"}`, () => {
      const state = openState(parseOpeningHours(text), new Date(time));
      expect(state).toEqual({ state: "closed", ...(opens && { opens }) });
    });
  }
  test("is unknown when the hours of the day are unknown", () => {
    expect(at("2026-11-24T12:00:00Z")).toEqual({ state: "unknown" });
    expect(openState([], new Date())).toEqual({ state: "unknown" });
  });
});

test("the page says how long it is open, or when it opens next", () => {
  const stateAt = (time: string, stated = hours) =>
    /<p class="state \w+">(.*?)<\/p>/.exec(
      renderToString(Hours({ hours: stated, now: new Date(time) })),
    )?.[1];
  expect(stateAt("2026-11-23T09:00:00Z")).toBe("Open now, until 12:30");
  expect(stateAt("2026-11-23T12:30:00Z")).toBe("Closed now, opens at 13:30");
  expect(stateAt("2026-11-23T17:00:00Z")).toBe("Closed now");
  expect(stateAt("2026-11-28T12:00:00Z")).toBe("Open now, until midnight");
  const always = parseOpeningHours("Mo-Su 00:00-24:00");
  expect(stateAt("2026-11-28T12:00:00Z", always)).toBe("Open now, all day");
  expect(stateAt("2026-11-24T12:00:00Z")).toBe("Not known whether open today");
  expect(stateAt("2026-11-24T12:00:00Z", [])).toBe("Opening hours are not known");
});

test("the page says the hours of each day and which day is today, and has no empty table", () => {
  const now = new Date("2026-11-23T12:00:00Z");
  const html = renderToString(Hours({ hours, now }));
  const rows = [...html.matchAll(/<tr.*?<\/tr>/gs)].map(([row]) =>
    row.replace("</th>", ": ").replace(/<.*?>/g, ""),
  );
  expect(rows).toEqual([
    "Monday (today): 09:00 to 12:30, 13:30 to 17:00",
    "Tuesday: not known",
    "Wednesday: not known",
    "Thursday: not known",
    "Friday: 18:00 to 02:00",
    "Saturday: open 24 hours",
    "Sunday: closed",
  ]);
  expect(renderToString(Hours({ hours: [], now }))).not.toContain("<table");
});

test("Sunday begins an hour earlier in UTC in summer", () => {
  expect(wallClock(new Date("2026-07-25T23:30:00Z"))).toEqual({ day: 6, minute: 30 });
  expect(wallClock(new Date("2026-11-28T23:30:00Z"))).toEqual({ day: 5, minute: 1_410 });
});
