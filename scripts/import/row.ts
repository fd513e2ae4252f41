/** One row of a file: a record for the directory, or the reason why it is not one. */
export type Row = RecordRow | RejectedRow;

export interface RecordRow {
  /** The line of the file; in a format without lines, the number of the feature or establishment. */
  line: number;
  /** As in the file. */
  row: unknown;
  /** Unchecked, since a file in our own format may hold anything; the directory checks it. */
  record: object;
  /** Fields of the row that could not be understood. */
  unusable?: string[];
  /** Whether the file says that the place is closed, so that a person has to decide about it. */
  isClosed?: boolean;
}

export interface RejectedRow {
  line: number;
  row: unknown;
  reason: string;
  /** Of the business, where the row says it. */
  sourceId?: unknown;
  /** Whether the row says that the business is no longer there. */
  isVacant?: boolean;
}

/**
 * The length of a row's text in characters, or in bytes where the CSV parser counts. Anything longer is not a
 * row, and reading it to its end would take many times as much memory.
 */
export const LONGEST_ROW = 10_000_000;

/** Such as 150, 17-19 or 2a, also with the en dash that a word processor makes of a hyphen. */
export const isHouseNumber = (line: string) => /^\d+[a-z]?( ?[-–/&] ?\d+[a-z]?)*$/i.test(line);
