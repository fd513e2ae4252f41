import type { Browser } from "playwright-core";
import { CommandError } from "../terminal/command.ts";
import { findOrInstall } from "./debian.ts";

/** Starts a headless Chromium that contacts nothing but the pages it is sent to. */
export async function openChromium(): Promise<Browser> {
  // Only now: a command can explain itself where the packages for development are not installed.
  const { chromium } = await import("playwright-core").catch(() => {
    throw new CommandError(
      "playwright-core, a package for development, is missing: run `bun install`.",
    );
  });
  return await chromium.launch({
    executablePath: await chromiumProgram(),
    // Chromium has none for root.
    chromiumSandbox: process.getuid?.() !== 0,
  });
}

/** Chromium from the PATH, or installed from Debian if we may. */
export function chromiumProgram(): Promise<string> {
  return findOrInstall(["chromium", "chromium-browser"], MISSING);
}

const MISSING =
  "Chromium is missing, which the tests of the pages need. Debian: `apt-get install chromium`; Ubuntu: `snap install chromium`; macOS: `brew install --cask chromium`.";
