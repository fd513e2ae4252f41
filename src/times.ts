/** A time in UTC as it is written in a sentence: 22 November 2026 at 16:49 UTC. */
export const writtenTime = (time: Date) => `${inWords.format(time)} UTC`;

/** A day of UTC as it is written in a sentence: 22 November 2026. */
export const writtenDay = (time: Date) => dayInWords.format(time);

const dayInWords = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });
const inWords = new Intl.DateTimeFormat("en-GB", {
  dateStyle: "long",
  timeStyle: "short",
  timeZone: "UTC",
});
