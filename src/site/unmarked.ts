/**
 * For lists without markers: site.css removes them by this role, without which VoiceOver in Safari would not
 * announce such lists as lists. Spread into the element, since linters call the attribute itself redundant.
 */
export const unmarked = { role: "list" } as const;
