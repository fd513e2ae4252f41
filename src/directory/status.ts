/** What an operator has decided about a business; only approved ones are shown. */
export const businessStatuses = ["pending", "approved", "rejected", "suspended"] as const;
export type BusinessStatus = (typeof businessStatuses)[number];
