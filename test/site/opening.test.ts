import { describe, expect, test } from "bun:test";
import type { weekdays } from "../../src/directory/weekdays.ts";
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
    expect(at("2026-11-23T08:59:59Z")).toEqual({ state: "closed" });
    expect(at("2026-11-23T09:00:00Z")).toEqual({ state: "open", until: "12:30" });
    expect(at("2026-11-23T12:30:00Z")).toEqual({ state: "closed" });
    expect(at("2026-11-23T13:30:00Z")).toEqual({ state: "open", until: "17:00" });
  });
  test("goes by British time, summer time included", () => {
    expect(at("2026-07-20T08:00:00Z")).toEqual({ state: "open", until: "12:30" });
    expect(at("2026-07-20T07:59:00Z")).toEqual({ state: "closed" });
  });
  test("stays open past midnight, also when the next day is closed", () => {
    expect(at("2026-11-27T23:59:00Z")).toEqual({ state: "open", until: "02:00" });
    const late = [entry("SATURDAY", "20:00", "03:00"), hours[4] as (typeof hours)[number]];
    expect(openState(late, new Date("2026-11-29T02:59:00Z"))).toEqual({
      state: "open",
      until: "03:00",
    });
    expect(openState(late, new Date("2026-11-29T03:00:00Z")).state).toBe("closed");
  });
  test("an interval that ends when it begins is a whole day", () => {
    const round = [entry("MONDAY", "06:00", "06:00")];
    expect(openState(round, new Date("2026-11-24T05:59:00Z")).state).toBe("open");
    expect(openState(round, new Date("2026-11-24T06:00:00Z")).state).toBe("unknown");
  });
  test("is open without end from midnight to midnight", () => {
    const day = [entry("MONDAY", "00:00", "00:00")];
    expect(openState(day, new Date("2026-11-23T12:00:00Z"))).toEqual({ state: "open" });
    expect(openState(day, new Date("2026-11-24T00:00:00Z"))).toEqual({ state: "unknown" });
  });
  test("is open without end on a day of 24 hours, and closed on a closed one", () => {
    expect(at("2026-11-28T12:00:00Z")).toEqual({ state: "open" });
    // The night that ends at 02:00 goes over into it.
    expect(at("2026-11-28T01:59:00Z")).toEqual({ state: "open" });
    expect(at("2026-11-29T12:00:00Z")).toEqual({ state: "closed" });
  });
  test("is unknown when nothing is said of the day", () => {
    expect(at("2026-11-24T12:00:00Z")).toEqual({ state: "unknown" });
    expect(openState([], new Date())).toEqual({ state: "unknown" });
  });
});

test("the clock on the wall turns to Sunday an hour earlier in summer", () => {
  expect(wallClock(new Date("2026-07-25T23:30:00Z"))).toEqual({ day: 6, time: "00:30" });
  expect(wallClock(new Date("2026-11-28T23:30:00Z"))).toEqual({ day: 5, time: "23:30" });
});
