import type { ImportCounts } from "../../src/directory/import/feed.ts";
import type { Rejects } from "./rejects.ts";
import type { RecordRow, Row } from "./row.ts";

/** A field that rows have but that could not be used, such as a phone "ask Bob". */
export interface UnusableField {
  field: string;
  rows: number;
  /** Of one such row. */
  line: number;
}

/** The records of one file on their way to the directory; rows that hold none go to the rejects. */
export class FileRecords {
  readonly #rejects: Rejects;
  /** Which row a record came from, for as long as it is on its way. */
  readonly #origins = new WeakMap<object, RecordRow>();
  readonly #unusable = new Map<string, UnusableField>();
  /** How many rows held no record. */
  rejected = 0;
  /** Whether any has been asked for. */
  hasBegun = false;

  constructor(rejects: Rejects) {
    this.#rejects = rejects;
  }

  async *read(rows: AsyncIterable<Row>): AsyncGenerator<object> {
    // Only now: an import that this one waited for may be of the same file, whose rejects are kept in the same
    // place.
    this.#rejects.remove();
    this.hasBegun = true;
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

  /** The directory rejects a record that it was given. */
  reject(record: object, reason: string): void {
    const { line, row } = this.#originOf(record);
    this.#rejects.add({ line, row, reason });
  }

  /** The directory cannot use fields of a record. They are few: those that it has. */
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
      if (known) known.rows++;
      else if (this.#unusable.size < most) this.#unusable.set(field, { field, rows: 1, line });
    }
  }

  #originOf(record: object): RecordRow {
    const origin = this.#origins.get(record);
    if (!origin) throw new Error("no row of the file holds this record");
    return origin;
  }

  /** What the directory counted, with what never reached it. */
  count(counts: ImportCounts): ImportCounts {
    return { ...counts, read: counts.read + this.rejected, rejected: this.#rejects.total };
  }
}

/** Different fields that are counted: those that are not ours may be others in each row. */
const MOST_FIELDS = 100;
