import { say } from "./output.ts";

/** Says why nothing seems to happen: another command has IMPORT_LOCK. */
export function sayWaiting(): void {
  say("Waiting for another import (or generate, or check-lists --repair) to end.");
}
