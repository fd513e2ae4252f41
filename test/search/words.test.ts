import { expect, test } from "bun:test";
import { mayBeUnfinished, searchWords, singular } from "../../src/search/words.ts";

test("words are normalised, whatever characters they are written with", () => {
  for (const [text, words] of [
    ["ＣＡＦÉ ﬁsh", "cafe fish"],
    ["Łódź Smørrebrød", "lodz smorrebrod"],
    ["O’Malley´s `Bar‘", "omalleys bar"],
    ["W H Smith, B&Q or a shop: b and q", "wh smith bq shop bq"],
    ["The Coop, Cooper & Sons", "co op cooper sons"],
    ["Fish ’n’ Chips; J N Smith; Smith N B", "fish chips jn smith smith nb"],
    ["NR128AA ec1a1bb", "nr12 8aa ec1a 1bb"],
    [
      "NR 12 8AA, EC 1A1BB; S.W.1; unit e 3, high st 12, near me 24",
      "nr12 8aa ec1a 1bb sw1 unit e 3 high st 12 24",
    ],
    ["Frost & Co, 9 High St; The Cottage PH, 9 Elm Rd", "frost co 9 high st cottage ph 9 elm rd"],
    ["Frost & Co. 9, b&b 24 hr 7 days", "frost co 9 bb 24 hr 7 days"],
    ["Frost & Co 9 High St; M.A.S.S. 53 High St", "frost co 9 high st mass 53 high st"],
    ["the plumber near me", "plumber"],
    ["To The On", "to the on"],
  ] as const) {
    expect([text, searchWords(text).join(" ")]).toEqual([text, words]);
  }
  const plurals = ["bakeries", "churches", "boxes", "dishes", "buses", "plumbers", "djs"];
  expect(plurals.map(singular).join(" ")).toBe("bakery church box dish bus plumber dj");
  const withE = ["houses", "courses", "nurses", "cheeses", "dresses"];
  expect(withE.map(singular).join(" ")).toBe("house course nurse cheese dress");
  expect(["glass", "bus", "gas"].map(singular).join(" ")).toBe("glass bus gas");
  const unfinished = ["barn", "b2bshop", "bar", "nr12", "ec1a"].filter(mayBeUnfinished);
  expect(unfinished).toEqual(["barn", "b2bshop"]);
});
