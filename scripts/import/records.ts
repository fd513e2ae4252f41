import type { ImportCounts } from "../../src/directory/import/feed.ts";
import type { Rejects } from "./rejects.ts";
import type { RecordRow, Row } from "./row.ts";

/** A field with unusable values, such as a phone "ask Bob". */
export interface UnusableField {
  field: string;
  rows: number;
  /** The lines of some of these rows. */
  lines: number[];
}

/** The records of one file on their way to the directory; rows without one go to the rejects. */
export class FileRecords {
  readonly #rejects: Rejects;
  /** The row of each record in flight. */
  readonly #origins = new WeakMap<object, RecordRow>();
  readonly #unusable = new Map<string, UnusableField>();
  /** How many rows held no record. */
  rejected = 0;

  constructor(rejects: Rejects) {
    this.#rejects = rejects;
  }

  async *read(rows: AsyncIterable<Row>): AsyncGenerator<object> {
    for await (const row of rows) {
      if ("reason" in row) {
        this.#rejects.add(row);
        this.rejected++;
        continue;
      }
      this.#countUnusable(row.unusable ?? [], row.line);
      this.#origins.set(row.record, row);
      yield row.record;
    }
  }

  /** Called when the directory rejects a record. */
  reject(record: object, reason: string): void {
    const { line, row } = this.#originOf(record);
    this.#rejects.add({ line, row, reason });
  }

  /** Called when the directory cannot use fields of a record; only its own are among them, so they are few. */
  leaveOut(record: object, fields: readonly string[]): void {
    this.#countUnusable(fields, this.#originOf(record).line, Number.POSITIVE_INFINITY);
  }

  /** Fields that could not be used, the most frequent first. */
  unusable(): UnusableField[] {
    return [...this.#unusable.values()].sort((a, b) => b.rows - a.rows);
  }

  #countUnusable(fields: readonly string[], line: number, most = MOST_FIELDS): void {
    for (const field of fields) {
      const known = this.#unusable.get(field);
      if (known) {
        known.rows++;
        if (known.lines.length < MOST_LINES) known.lines.push(line);
      } else if (this.#unusable.size < most) {
        this.#unusable.set(field, { field, rows: 1, lines: [line] });
      }
    }
  }

  #originOf(record: object): RecordRow {
    const origin = this.#origins.get(record);
    if (!origin) throw new Error("no row of the file holds this record");
    return origin;
  }

  /** The directory's counts, plus the rows that never reached it. */
  count(counts: ImportCounts): ImportCounts {
    return { ...counts, read: counts.read + this.rejected, rejected: this.#rejects.total };
  }
}

/** Distinct fields that are counted: unknown ones may differ from row to row. */
const MOST_FIELDS = 100;

/** Examples of each: enough to see what they have in common. */
const MOST_LINES = 5;
