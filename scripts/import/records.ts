import type { ImportCounts } from "../../src/directory/import/feed.ts";
import type { Rejects } from "./rejects.ts";
import type { RecordRow, Row } from "./row.ts";

/** The records of one file on their way to the directory; rows that hold none go to the rejects. */
export class FileRecords {
  readonly #rejects: Rejects;
  /** Which row a record came from, for as long as it is on its way. */
  readonly #origins = new WeakMap<object, RecordRow>();
  /** By field, in how many rows it could not be understood. */
  readonly #unusable = new Map<string, number>();
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
      for (const field of row.unusable ?? []) this.#countUnusable(field);
      this.#origins.set(row.record, row);
      yield row.record;
    }
  }

  #countUnusable(field: string): void {
    const rows = this.#unusable.get(field) ?? 0;
    if (rows > 0 || this.#unusable.size < MOST_FIELDS) this.#unusable.set(field, rows + 1);
  }

  /** The directory rejects a record that it was given. */
  reject(record: object, reason: string): void {
    const origin = this.#origins.get(record);
    if (!origin) throw new Error("a record was rejected that no row of the file holds");
    this.#rejects.add({ line: origin.line, row: origin.row, reason });
  }

  /** What the directory counted, with what never reached it. */
  count(counts: ImportCounts): ImportCounts {
    const unusable = new Map(this.#unusable);
    // The reader and the directory may each have refused the same field, in different rows.
    for (const [field, rows] of Object.entries(counts.unusable)) {
      unusable.set(field, (unusable.get(field) ?? 0) + rows);
    }
    return {
      ...counts,
      read: counts.read + this.rejected,
      rejected: this.#rejects.total,
      unusable: Object.fromEntries(unusable),
    };
  }
}

/** Different fields that are counted: those that are not ours may be others in each row. */
const MOST_FIELDS = 100;
