import type { ImportCounts } from "../../src/directory/import/feed.ts";
import { cleanId } from "../../src/directory/import/text.ts";
import type { Rejects } from "./rejects.ts";
import type { RecordRow, Row } from "./row.ts";

/** Rows that have something in common. */
export interface Rows {
  rows: number;
  /** The lines of some of them. */
  lines: number[];
}

/** A field with unusable values, such as a phone "ask Bob". */
export interface UnusableField extends Rows {
  field: string;
}

/** The records of one file on their way to the directory; rows without one go to the rejects. */
export class FileRecords {
  readonly #rejects: Rejects;
  /** The row of each record in flight. */
  readonly #origins = new WeakMap<object, RecordRow>();
  readonly #unusable = new Map<string, UnusableField>();
  readonly #rejectedIds = new Set<string>();
  /** Those of places that the file says are closed. */
  readonly closed: Rows = { rows: 0, lines: [] };
  /** How many rows held no record. */
  rejected = 0;
  /** Whether rows were rejected that may be of any business. */
  hidesIds = false;

  constructor(rejects: Rejects) {
    this.#rejects = rejects;
  }

  async *read(rows: AsyncIterable<Row>): AsyncGenerator<object> {
    for await (const row of rows) {
      if ("reason" in row) {
        this.#rejects.add(row);
        // What is no longer there counts as dropped.
        if (!row.isVacant) this.#keepId(row.sourceId);
        this.rejected++;
        continue;
      }
      this.#countUnusable(row.unusable ?? [], row.line);
      if (row.isClosed) addRow(this.closed, row.line);
      this.#origins.set(row.record, row);
      yield row.record;
    }
  }

  /** Called when the directory rejects a record. */
  reject(record: object, reason: string): void {
    const { line, row } = this.#originOf(record);
    this.#rejects.add({ line, row, reason });
    this.#keepId((record as { sourceId?: unknown }).sourceId);
  }

  /** Whether a row of this business was rejected; unknown when `hidesIds`. */
  hasRejected(sourceId: string): boolean {
    return this.#rejectedIds.has(sourceId);
  }

  #keepId(given: unknown): void {
    const id = typeof given === "string" ? cleanId(given) : "";
    if (id === "" || this.#rejectedIds.size === MOST_IDS) this.hidesIds = true;
    else this.#rejectedIds.add(id);
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
      if (known) addRow(known, line);
      else if (this.#unusable.size < most) {
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

function addRow(rows: Rows, line: number): void {
  rows.rows++;
  if (rows.lines.length < MOST_LINES) rows.lines.push(line);
}

/** Distinct fields that are counted: unknown ones may differ from row to row. */
const MOST_FIELDS = 100;

/** Rejected rows whose ids are kept. */
const MOST_IDS = 100_000;

/** Examples of each: enough to see what they have in common. */
const MOST_LINES = 5;
