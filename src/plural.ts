/** The plural of a noun, as far as its last letters tell: bakeries, car washes, plumbers. */
export function plural(noun: string): string {
  if (noun.endsWith("s")) return noun;
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return /(sh|ch|x)$/.test(noun) ? `${noun}es` : `${noun}s`;
}
