import slugify from "@sindresorhus/slugify";

/** Whether a text can be a slug at all: lower-case letters, digits and single hyphens. */
export function isSlug(text: string): boolean {
  return text.length <= 120 && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text);
}

/** Lower-case letters, digits and hyphens from any text: "Brașov & Sons’ Café" is brasov-and-sons-cafe. */
export function makeSlug(text: string): string {
  const bare = text.replace(/['’‘ʼ`´]/g, "");
  // The library would try some two thousand rules of transliteration. ASCII needs hardly any of them, so it
  // is done here, with the same result.
  if (!/^[ -~]*$/.test(bare)) {
    // The library does not know ligatures, full-width letters and the like: NFKC turns them into plain ones.
    // It would turn a trademark sign into letters too.
    const plain = bare.replace(/[™℠]/g, " ").normalize("NFKC");
    return slugify(plain, { decamelize: false });
  }
  const words = bare.toLowerCase().replaceAll("&", " and ").replaceAll("^", "");
  return words.replace(/[^a-z\d]+/g, "-").replace(/^-|-$/g, "");
}
