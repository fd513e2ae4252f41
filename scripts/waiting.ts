/** Says on stderr why nothing seems to happen: another command has IMPORT_LOCK. */
export function sayWaiting(): void {
  console.error("Waiting for another import (or generate, or check-lists --repair) to end.");
}
