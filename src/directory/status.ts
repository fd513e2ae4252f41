/** What an operator has decided about a business, or has yet to decide; only approved ones are shown. */
export const businessStatuses = ["pending", "approved", "rejected", "suspended"] as const;
export type BusinessStatus = (typeof businessStatuses)[number];
