/**
 * For lists without markers, which VoiceOver in Safari announces as lists only if they have this role. Spread
 * into the element, since linters call the attribute itself redundant.
 */
export const unmarked = { role: "list" } as const;
