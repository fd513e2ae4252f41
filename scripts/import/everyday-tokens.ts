/** A word, time or mark of opening hours as people write them. */
export interface Token {
  /** A letter or mark, see KINDS. */
  kind: string;
  /** In OpenStreetMap's notation, but a time as in 9, 9.30 or 9:30 pm. */
  text: string;
}

/** @returns null when there is anything else */
export function tokensOf(text: string): Token[] | null {
  const found = [...text.matchAll(TOKEN)];
  if (found.map(([whole]) => whole).join("") !== text) return null;
  const tokens = found.map(([, ...groups]) => {
    const place = groups.findIndex((group) => group !== undefined);
    const [kind = "", , notation = groups[place] ?? ""] = KINDS[place] ?? [];
    return { kind, text: notation.replace(/^(\d\d)(\d\d)/, "$1:$2") };
  });
  return tokens.filter(({ kind }) => kind !== "");
}

const AM_OR_PM = String.raw`(?:\s*[ap]\.?m\.?|\s*h(?:rs)?)?`;

/** Each kind with its pattern, and what it is in OpenStreetMap's notation, if that is always the same. */
const KINDS: [kind: string, pattern: string, notation?: string][] = [
  ["a", String.raw`24\s*(?:/\s*7|h|hrs?|hours?)(?:\s+a\s+day)?`, "00:00-24:00"],
  ["a", String.raw`always\s+open`, "00:00-24:00"],
  ["D", String.raw`daily|every\s?day|7\s+days(?:\s+a\s+week)?`, "Mo-Su"],
  ["D", String.raw`weekdays?|m\s?[-–]\s?f`, "Mo-Fr"],
  ["D", "weekends?", "Sa-Su"],
  ["d", String.raw`mo|mon\.?|mondays?`, "Mo"],
  ["d", String.raw`tu|tues?\.?|tuesdays?`, "Tu"],
  ["d", String.raw`we|weds?\.?|wednesdays?`, "We"],
  ["d", String.raw`th|thu\.?|thurs?\.?|thursdays?`, "Th"],
  ["d", String.raw`fr|fri\.?|fridays?`, "Fr"],
  ["d", String.raw`sa|sat\.?|saturdays?`, "Sa"],
  ["d", String.raw`su|sun\.?|sundays?`, "Su"],
  // What is not in a normal week; nor do the hours of MOTs say when a garage is open.
  ["h", String.raw`(?:bank|public|school)\s+hol(?:iday)?s?|[pbs]h|mots?`, "PH"],
  ["h", String.raw`easter|christmas(?:\s+day)?`, "PH"],
  ["t", String.raw`(?:12(?:[:.]00)?\s*)?(?:noon|midday)`, "12pm"],
  ["t", String.raw`(?:12(?:[:.]00)?\s*)?midnight`, "12am"],
  // 0900, but years, as in 2024-2026, may begin a text.
  ["t", String.raw`(?!^(?:19|20)\d\d)(?:[01]\d|2[0-4])[0-5]\d(?!\d)${AM_OR_PM}`],
  ["t", String.raw`(?:[01]?\d|2[0-4])(?:[:.][0-5]\d)?(?![\d:]|\.\d)${AM_OR_PM}`],
  ["-", "[-‐‑‒–—−~]|to|till?|until|through|thru", "-"],
  ["&", String.raw`(?:,\s*)?(?:&|and)`, ","],
  [",", ",", ","],
  ["/", "/", ","],
  ["o", String.raw`(?:closed|off)\s+on`, ""],
  ["x", "closed|off", ""],
  [":", ":", ""],
  [".", String.raw`\.`, ""],
  ["(", String.raw`\(`, ""],
  [")", String.raw`\)`, ""],
  // "Mon-Fri open, Sat closed" does not say when.
  ["", String.raw`^open:?|open(?=\s+(?:from\s+)?\d|$)|from`, ""],
];

/** None ends within a word. */
const PATTERNS = KINDS.map(([, pattern]) => `(${pattern})`).join("|");
const TOKEN = new RegExp(String.raw`(?:${PATTERNS})(?<![a-z](?=[a-z]))\s*`, "giy");
