/**
 * For each list without markers: VoiceOver in Safari takes it for no list unless it says that it is one. It is
 * spread over the element, since linters call the same attribute redundant where they see it.
 */
export const unmarked = { role: "list" } as const;
