import type { Sql, Transaction } from "../../store/postgres.ts";
import type { BusinessStatus } from "../status.ts";
import { Cities } from "./cities.ts";
import { outcodeOf } from "./contacts.ts";
import { type Prepared, prepare } from "./prepare.ts";
import {
  type BusinessFields,
  emptyBusiness,
  insertBusinesses,
  isComplete,
  isSame,
  readStored,
  type StoredBusiness,
  updateBusinesses,
} from "./rows.ts";
import { SeenTexts } from "./seen.ts";
import { SlugAllocator } from "./slugs.ts";

export interface ImportOptions {
  /** The name of the feed. Together with a record's sourceId it identifies the business. */
  source: string;
  /** Of businesses that are created and whose record has no status. Default: approved. */
  status?: "approved" | "pending" | undefined;
  /** The middle of each outcode (NR2), for businesses without coordinates of their own. */
  outcodes?: ReadonlyMap<string, Place> | undefined;
  /** Called after each batch with the number of records dealt with so far. */
  onProgress?: ((read: number) => void) | undefined;
  /** Called for each record that is left out, and why. */
  onReject?: ((record: object, reason: string) => void) | undefined;
  /** Called when all records are dealt with: from now on they may be kept. Not in a dry run. */
  onCommit?: (() => void) | undefined;
  /** Called when the work after an import failed (see settleDirectory), although all of it is kept. */
  onUnsettled?: ((error: unknown) => void) | undefined;
  /** Does everything, then rolls it back. */
  dryRun?: boolean | undefined;
}

interface Place {
  latitude: number;
  longitude: number;
}

export interface ImportCounts {
  read: number;
  created: number;
  updated: number;
  unchanged: number;
  rejected: number;
  /** Of those not rejected: pending because they lack something that an approved business needs. */
  pending: number;
  /** How often each field was given but could not be used, such as a phone "ask Bob". */
  unusable: Record<string, number>;
}

/** A record, and what was made of it, or the reason why it is rejected. */
export interface ReadRecord {
  record: object;
  prepared: Prepared | string;
}

export interface Feed {
  /** Checks a record. Needs no database, so it can be done while that is busy with others. */
  read(record: object): ReadRecord;
  /** Takes a batch, one at a time. */
  take(batch: readonly ReadRecord[]): Promise<void>;
}

/**
 * One feed within one transaction, to be taken batch by batch. Counts into `counts`.
 * The rules are those of importRecords.
 */
export async function openFeed(
  transaction: Transaction,
  options: ImportOptions,
  counts: ImportCounts,
): Promise<Feed> {
  const { source, outcodes } = options;
  const categories = await readCategories(transaction);
  const cities = await Cities.load(transaction);
  const slugs = new SlugAllocator();
  const seen = new SeenTexts();

  return { read: (record) => ({ record, prepared: prepare(record, categories) }), take };

  async function take(batch: readonly ReadRecord[]): Promise<void> {
    const first: Prepared[] = [];
    const repeated: Prepared[] = [];
    for (const { record, prepared } of batch) {
      if (typeof prepared === "string") reject(record, prepared);
      else (seen.add(prepared.sourceId) ? first : repeated).push(prepared);
    }
    await cities.add(
      transaction,
      first.flatMap(({ town }) => town ?? []),
    );
    await reconcile(first);
    await compareRepeated(repeated);
    counts.read += batch.length;
    options.onProgress?.(counts.read);
  }

  async function reconcile(prepared: readonly Prepared[]): Promise<void> {
    const stored = await readKnown(prepared);
    await create(prepared.filter(({ sourceId }) => !stored.has(sourceId)));
    await update(
      prepared.filter(({ sourceId }) => stored.has(sourceId)),
      stored,
    );
  }

  /** Those of the feed that the directory has, by their ids there. */
  function readKnown(prepared: readonly Prepared[]): Promise<Map<string, StoredBusiness>> {
    return readStored(
      transaction,
      source,
      prepared.map(({ sourceId }) => sourceId),
    );
  }

  async function create(prepared: readonly Prepared[]): Promise<void> {
    const wanted = prepared.map((given) => {
      const business = merge({ ...emptyBusiness, name: "" }, given);
      const status = wantedStatus(given);
      return { given, business, isLacking: status === "approved" && !isComplete(business), status };
    });
    const given = await slugs.allocate(
      transaction,
      wanted.map(({ given, business }) => ({
        slug: given.slug,
        name: business.name,
        citySlug: cities.slugOf(business.city_id),
        postcode: business.postcode,
      })),
    );
    const created = wanted.flatMap(({ given: { record, sourceId, unusable }, ...want }, place) => {
      const free = given[place];
      if (!free) {
        reject(record, "the slug belongs to another business: give another, or none");
        return [];
      }
      count("created", want.isLacking, unusable);
      const status: BusinessStatus = want.isLacking ? "pending" : want.status;
      return { ...want.business, status, slug: free, source, source_id: sourceId };
    });
    if (created.length > 0) await insertBusinesses(transaction, created);
  }

  async function update(
    prepared: readonly Prepared[],
    known: ReadonlyMap<string, StoredBusiness>,
  ): Promise<void> {
    let stored = known;
    for (let waiting = prepared; waiting.length > 0; ) {
      const changes: { given: Prepared; after: StoredBusiness }[] = [];
      for (const given of waiting) {
        const before = stored.get(given.sourceId);
        if (!before) continue;
        const after = { ...before, ...decide(before, given) };
        if (isSame(before, after)) count("unchanged", isLacking(after, given), given.unusable);
        else changes.push({ given, after });
      }
      const updated = await updateBusinesses(
        transaction,
        changes.map(({ after }) => after),
      );
      waiting = changes.flatMap(({ given, after }) => {
        if (!updated.has(after.id)) return given;
        count("updated", isLacking(after, given), given.unusable);
        return [];
      });
      // Try again those that an operator has changed since they were read.
      if (waiting.length > 0) stored = await readKnown(waiting);
    }
  }

  async function compareRepeated(prepared: readonly Prepared[]): Promise<void> {
    if (prepared.length === 0) return;
    const stored = await readKnown(prepared);
    for (const given of prepared) {
      const before = stored.get(given.sourceId);
      if (before && isSame(before, { ...before, ...decide(before, given) })) {
        count("unchanged", isLacking(before, given), given.unusable);
      } else {
        reject(given.record, "an earlier row has the same sourceId and says something else");
      }
    }
  }

  /** What becomes of a business that the directory has already. */
  function decide(before: BusinessFields, given: Prepared): BusinessFields {
    const after = merge(before, given);
    if (before.status === "approved" && !isComplete(after)) {
      return { ...after, status: "pending" };
    }
    // It was pending only because it was incomplete; a complete one waits for an operator.
    if (
      before.status === "pending" &&
      wantedStatus(given) === "approved" &&
      !isComplete(before) &&
      isComplete(after)
    ) {
      return { ...after, status: "approved" };
    }
    return after;
  }

  function wantedStatus(given: Prepared): BusinessStatus {
    return given.status ?? options.status ?? "approved";
  }

  /** Whether only what it lacks keeps it from being approved. */
  function isLacking(business: BusinessFields, given: Prepared): boolean {
    return (
      business.status === "pending" && wantedStatus(given) === "approved" && !isComplete(business)
    );
  }

  function merge(before: BusinessFields, { fields, town }: Prepared): BusinessFields {
    const business = { ...before, ...fields };
    if (town !== undefined) business.city_id = town && (cities.find(town)?.id ?? null);
    const outcode = outcodeOf(business.postcode);
    const left = outcodeOf(before.postcode);
    // It has moved without saying where to: no coordinates are better than those of the old place.
    if (fields.latitude === undefined && left !== "" && outcode !== left) {
      business.latitude = null;
      business.longitude = null;
    }
    const middle = business.latitude === null && outcodes?.get(outcode);
    return middle ? { ...business, ...middle } : business;
  }

  function count(
    what: "created" | "updated" | "unchanged",
    isLacking: boolean,
    unusable: readonly string[],
  ): void {
    counts[what]++;
    if (isLacking) counts.pending++;
    for (const field of unusable) counts.unusable[field] = (counts.unusable[field] ?? 0) + 1;
  }

  function reject(record: object, reason: string): void {
    counts.rejected++;
    options.onReject?.(record, reason);
  }
}

/** The ids of all categories, by slug. */
export async function readCategories(sql: Sql | Transaction): Promise<Map<string, number>> {
  const rows = await sql<{ slug: string; id: number }[]>`select slug, id from categories`;
  return new Map(rows.map(({ slug, id }) => [slug, id]));
}
