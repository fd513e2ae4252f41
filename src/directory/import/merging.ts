import type { BusinessStatus } from "../status.ts";
import type { Cities } from "./cities.ts";
import { outcodeOf } from "./contacts.ts";
import type { Prepared } from "./prepare.ts";
import { type BusinessFields, emptyBusiness, isComplete } from "./rows.ts";

/** The centre of each outcode (NR2), in degrees of WGS 84. */
export type Outcodes = ReadonlyMap<string, { latitude: number; longitude: number }>;

export interface RuleOptions {
  /** Status of new businesses. Pending overrides a record that says approved. */
  status?: "approved" | "pending" | undefined;
  /** Where to place businesses without coordinates of their own. */
  outcodes?: Outcodes | undefined;
}

/** Whether a business is pending and lacks something that an approved one must have. */
export function isLacking(business: BusinessFields): boolean {
  return business.status === "pending" && !isComplete(business);
}

/** How records are merged into what is known of businesses. The records' towns must be among the cities. */
export function mergingRules(cities: Cities, options: RuleOptions) {
  return { create, change };

  /** The new business of a record. */
  function create(given: Prepared): BusinessFields {
    const business = merge(emptyBusiness, given);
    const wanted = wantedStatus(given);
    const isApproval = wanted === "approved";
    const status = isApproval && !isComplete(business) ? "pending" : wanted;
    return { ...business, status, approve_when_complete: isApproval };
  }

  /** A business that the directory has already, as changed by a record. */
  function change<Known extends BusinessFields>(before: Known, given: Prepared): Known {
    const after = merge(before, given);
    if (before.status === "approved" && !isComplete(after)) {
      return { ...after, status: "pending", was_approved: true };
    }
    const isCompleted = isLacking(before) && isComplete(after);
    const isAwaited = before.approve_when_complete && wantedStatus(given) === "approved";
    if (isCompleted && (before.was_approved || isAwaited)) {
      return { ...after, status: "approved", was_approved: false };
    }
    return after;
  }

  function wantedStatus({ status }: Prepared): BusinessStatus {
    return status === "approved" ? (options.status ?? status) : status;
  }

  function merge<Known extends BusinessFields>(before: Known, { fields, town }: Prepared): Known {
    const business = { ...before, ...fields };
    if (town !== undefined) business.city_id = town && (cities.find(town)?.id ?? null);
    const outcode = outcodeOf(business.postcode);
    const left = outcodeOf(before.postcode);
    // It has moved without saying where to: no coordinates are better than those of the old place.
    if (fields.latitude === undefined && left !== "" && outcode !== left) {
      business.latitude = null;
      business.longitude = null;
    }
    const middle = business.latitude === null && options.outcodes?.get(outcode);
    return middle ? { ...business, ...middle } : business;
  }
}
