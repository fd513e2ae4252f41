import { type Browser, chromium } from "playwright-core";
import { CommandError } from "../command.ts";
import { canInstall, installPackage } from "./debian.ts";

/** Starts a headless Chromium that contacts nothing but the pages it is sent to. */
export async function openChromium(): Promise<Browser> {
  return await chromium.launch({
    executablePath: await chromiumProgram(),
    chromiumSandbox: process.getuid?.() !== 0,
    args: [
      // Chromium has no sandbox for root.
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      "--disable-gpu",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--disable-quic",
    ],
  });
}

/** Chromium from the PATH, or installed from Debian if we may. */
export async function chromiumProgram(say: (line: string) => void = () => {}): Promise<string> {
  const installed = find();
  if (installed) return installed;
  if (!canInstall()) throw new CommandError(HOW_TO_GET_IT);
  say("Chromium is missing: installing the package chromium with apt-get");
  const fault = await installPackage("chromium");
  const fetched = find();
  if (fetched) return fetched;
  throw new CommandError(`${HOW_TO_GET_IT} (apt-get failed: ${fault})`);
}

const HOW_TO_GET_IT =
  "Chromium is missing, which the tests of the pages need. Debian: `apt-get install chromium`; Ubuntu: `snap install chromium`; macOS: `brew install --cask chromium`.";

function find(): string | null {
  const options = { PATH: process.env.PATH ?? "" };
  return Bun.which("chromium", options) ?? Bun.which("chromium-browser", options);
}
