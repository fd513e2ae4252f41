/** One row of a file: a record for the directory, or the reason why it cannot be one. */
export type Row = RecordRow | RejectedRow;

export interface RecordRow {
  /** Line of the file; where a file has no lines of its own, the number of the feature or element. */
  line: number;
  /** As it stands in the file. */
  row: unknown;
  /** The directory checks it; a file of our own format may hold anything. */
  record: object;
  /** Fields that the row has but that could not be understood. */
  unusable?: string[];
}

export interface RejectedRow {
  line: number;
  row: unknown;
  reason: string;
}

/**
 * Of the text of a row, in characters; in bytes where the parser of CSV counts. What is longer is no row, and
 * to read it to its end would take up many times as much memory.
 */
export const LONGEST_ROW = 10_000_000;

/** A field that is there, without white space around it; undefined when there is nothing in it. */
export function present(text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed === "" ? undefined : trimmed;
}
