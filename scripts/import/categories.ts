import {
  type CategoryCounts,
  CategoryFault,
  type CategoryRecord,
  importCategories,
  readCategory,
} from "../../src/directory/import/categories.ts";
import type { Sql } from "../../src/store/postgres.ts";
import { CommandError } from "../terminal/command.ts";
import { sayWaiting } from "../terminal/output.ts";
import { readNdjson } from "./ndjson.ts";
import { readText } from "./text.ts";

/**
 * Imports a file of categories, all of it or nothing.
 * @throws CommandError that says what is wrong and where
 */
export async function importCategoryFile(
  sql: Sql,
  file: string,
  options: { dryRun: boolean },
): Promise<CategoryCounts> {
  const records: CategoryRecord[] = [];
  for await (const row of readNdjson(readText(file))) {
    const record = "reason" in row ? row.reason : readCategory(row.record);
    if (typeof record === "string") throw new CommandError(`${file}, line ${row.line}: ${record}.`);
    records.push(record);
  }
  try {
    return await importCategories(sql, records, { ...options, onWait: sayWaiting });
  } catch (error) {
    if (error instanceof CategoryFault) throw new CommandError(`${file}: ${error.message}`);
    throw error;
  }
}
