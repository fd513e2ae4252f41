/** A time as people read it, in UTC and to the minute: 2026-11-22 16:49. */
export function formatTime(time: Date): string {
  return time.toISOString().slice(0, 16).replace("T", " ");
}
