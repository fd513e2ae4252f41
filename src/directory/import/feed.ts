import type { Transaction } from "../../store/postgres.ts";
import { listCandidates } from "../moderation.ts";
import { readCategories } from "./categories.ts";
import { Cities } from "./cities.ts";
import { isLacking, mergingRules, type RuleOptions } from "./merging.ts";
import { type Prepared, prepare, type Rejected } from "./prepare.ts";
import {
  type BusinessFields,
  insertBusinesses,
  isSame,
  readStored,
  type StoredBusiness,
  updateBusinesses,
} from "./rows.ts";
import { SeenTexts } from "./seen.ts";
import { SlugAllocator } from "./slugs.ts";
import type { TransactionOptions } from "./transaction.ts";

export interface ImportOptions extends RuleOptions, TransactionOptions {
  /** The name of the feed. Together with a record's sourceId it identifies the business. */
  source: string;
  /** Whether cities are display names. Those of other formats are parts of addresses. */
  isOwnFormat?: boolean | undefined;
  /** Called after each batch with the number of records processed so far. */
  onProgress?: ((read: number) => void) | undefined;
  /** Called for each record that is rejected, with the reason. */
  onReject?: ((record: object, reason: string) => void) | undefined;
  /** Called for each accepted record with fields that could not be used, with those fields. */
  onUnusable?: ((record: object, fields: readonly string[]) => void) | undefined;
  /** Called at the end for each approved business of the source that no accepted record was of. */
  onDropped?: ((business: { slug: string; sourceId: string }) => void) | undefined;
  /**
   * Called once all records are processed, just before the commit: from then on they may be kept. Not in a
   * dry run.
   */
  onCommit?: (() => void) | undefined;
  /** Called when the work after an import failed (see settleDirectory), although the import is kept. */
  onUnsettled?: ((error: unknown) => void) | undefined;
}

export type ImportCounts = ReturnType<typeof noCounts>;

export const noCounts = () => ({
  read: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  rejected: 0,
  /** How many of those not rejected are pending since they lack something that an approved business needs. */
  pending: 0,
  /** How many of these were approved before. */
  withdrawn: 0,
});

export type Feed = Awaited<ReturnType<typeof openFeed>>;

/**
 * One feed within one transaction, to be taken batch by batch. Counts into `counts`.
 * The rules are those of importRecords.
 */
export async function openFeed(
  transaction: Transaction,
  options: ImportOptions,
  counts: ImportCounts,
) {
  const { source, isOwnFormat = false } = options;
  const categories = await readCategories(transaction);
  const cities = await Cities.load(transaction);
  const rules = mergingRules(cities, options);
  const slugs = new SlugAllocator();
  const seen = new SeenTexts();

  return {
    /** Checks a record. Needs no database, so it can run while that is busy with others. */
    prepare: (record: object) => prepare(record, categories, cities, isOwnFormat),
    take,
    tellDropped,
  };

  /** Stores what the records of a batch say. The previous batch must be done. */
  async function take(batch: readonly (Prepared | Rejected)[]): Promise<void> {
    const first: Prepared[] = [];
    const repeated: Prepared[] = [];
    for (const given of batch) {
      if ("reason" in given) reject(given.record, given.reason);
      else (seen.add(given.sourceId) ? first : repeated).push(given);
    }
    await cities.add(
      transaction,
      first.flatMap(({ town }) => town ?? []),
    );
    // Businesses that somebody has changed or deleted since they were read are processed again.
    let waiting: readonly Prepared[] = first;
    while (waiting.length > 0) {
      const known = await readKnown(waiting);
      await create(waiting.filter(({ sourceId }) => !known.has(sourceId)));
      waiting = await update(waiting, known);
    }
    await compareRepeated(repeated);
    counts.read += batch.length;
    options.onProgress?.(counts.read);
  }

  /** Calls onDropped. Only once all batches are taken. */
  async function tellDropped(): Promise<void> {
    if (!options.onDropped) return;
    for await (const batch of listCandidates(transaction, { status: "approved", source })) {
      for (const business of batch) if (seen.add(business.sourceId)) options.onDropped(business);
    }
  }

  /** Those of these businesses that the directory has, by their ids in the feed. */
  function readKnown(prepared: readonly Prepared[]): Promise<Map<string, StoredBusiness>> {
    return readStored(
      transaction,
      source,
      prepared.map(({ sourceId }) => sourceId),
    );
  }

  async function create(prepared: readonly Prepared[]): Promise<void> {
    if (prepared.length === 0) return;
    const wanted = prepared.map((given) => ({ given, business: rules.create(given) }));
    const allocated = await slugs.allocate(
      transaction,
      wanted.map(({ given, business }) => ({
        slug: given.slug,
        name: business.name,
        citySlug: given.town ? cities.find(given.town)?.slug : undefined,
        postcode: business.postcode,
      })),
    );
    const created = wanted.flatMap(({ given, business }, place) => {
      const slug = allocated[place];
      if (!slug) {
        reject(given.record, "the slug belongs to another business: give another, or none");
        return [];
      }
      count("created", business, given);
      return { ...business, slug, source, source_id: given.sourceId };
    });
    if (created.length > 0) await insertBusinesses(transaction, created);
  }

  /** @returns those that somebody has changed or deleted since they were read, which are not updated */
  async function update(
    prepared: readonly Prepared[],
    known: ReadonlyMap<string, StoredBusiness>,
  ): Promise<Prepared[]> {
    const changes: { given: Prepared; before: StoredBusiness; after: StoredBusiness }[] = [];
    for (const given of prepared) {
      const before = known.get(given.sourceId);
      if (!before) continue;
      const after = rules.change(before, given);
      if (isSame(before, after)) count("unchanged", after, given);
      else changes.push({ given, before, after });
    }
    const updated = await updateBusinesses(
      transaction,
      changes.map(({ after }) => after),
    );
    return changes.flatMap(({ given, before, after }) => {
      if (!updated.has(after.id)) return given;
      count("updated", after, given);
      if (before.status === "approved" && after.status === "pending") counts.withdrawn++;
      return [];
    });
  }

  async function compareRepeated(prepared: readonly Prepared[]): Promise<void> {
    if (prepared.length === 0) return;
    const stored = await readKnown(prepared);
    for (const given of prepared) {
      const before = stored.get(given.sourceId);
      if (!before) {
        reject(given.record, "an earlier row with the same sourceId was rejected: fix that one");
      } else if (!isNew(given.town) && isSame(before, rules.change(before, given))) {
        count("unchanged", before, given);
      } else {
        reject(given.record, "an earlier row has the same sourceId but differs");
      }
    }
  }

  /**
   * Whether a town is not a city yet. A repeated record with such a town differs from the first one, whose
   * own town has become a city.
   */
  function isNew(town: Prepared["town"]): boolean {
    return town != null && !cities.find(town);
  }

  function count(
    what: "created" | "updated" | "unchanged",
    business: BusinessFields,
    given: Prepared,
  ): void {
    counts[what]++;
    if (isLacking(business)) counts.pending++;
    if (given.unusable.length > 0) options.onUnusable?.(given.record, given.unusable);
  }

  function reject(record: object, reason: string): void {
    counts.rejected++;
    options.onReject?.(record, reason);
  }
}
