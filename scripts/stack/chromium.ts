import type { Browser } from "playwright-core";
import { CommandError } from "../terminal/command.ts";
import { findOrInstall } from "./debian.ts";

/** Starts a headless Chromium that contacts nothing but the pages it is sent to. */
export async function openChromium(): Promise<Browser> {
  // Only now, so that --help works where the development packages are not installed.
  const { chromium } = await import("playwright-core").catch(() => {
    throw new CommandError(
      "playwright-core, a development package, is missing: run `bun install`.",
    );
  });
  return await chromium.launch({
    executablePath: await chromiumProgram(),
    // Chromium's sandbox does not work for root.
    chromiumSandbox: process.getuid?.() !== 0,
  });
}

/** Chromium's headless shell, or Chromium, from the PATH, or installed with apt-get if we are root. */
export function chromiumProgram(): Promise<string> {
  return findOrInstall([SHELL, "chromium", "chromium-browser"], MISSING);
}

/**
 * For the tests, which open a window for each visitor: the same engine without the windows, which take more
 * time than the pages in them. It is installed even beside a Chromium; where it cannot be, Chromium will do.
 */
export function headlessShell(): Promise<string> {
  return findOrInstall([SHELL], MISSING).catch(chromiumProgram);
}

const SHELL = "chromium-headless-shell";

const MISSING =
  "Chromium is missing; the tests of the pages need it. Debian: `apt-get install chromium-headless-shell`; Ubuntu: `snap install chromium`; macOS: `brew install --cask chromium`.";
