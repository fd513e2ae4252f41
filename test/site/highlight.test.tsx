import { expect, test } from "bun:test";
import { renderToString } from "preact-render-to-string";
import { highlightWords } from "../../src/site/highlight.tsx";

for (const [query, text, marked] of [
  ["plumber leeds", "Plumbers in Leeds", ["Plumbers", "Leeds"]],
  ["cafe", "Café Gelato", ["Café"]],
  ["café", "The Cafe at Centrum", ["Cafe"]],
  ["mcdonalds", "McDonald’s", ["McDonald’s"]],
  ["resturant", "Wharf Restaurant", ["Restaurant"]],
  ["plubmer glasgwo", "Plumber in Glasgow", ["Plumber", "Glasgow"]],
  ["printers", "Printers and painters", ["Printers"]],
  ["cafes", "Cakes and cafés", ["cafés"]],
  ["horses", "The White Horse", ["Horse"]],
  ["bars", "Wine bar", ["bar"]],
  ["elec", "Norwich Electrical", ["Electrical"]],
  ["24", "2 to 24", ["24"]],
  ["bar", "Barn", []],
  ["salon2000", "Salon2001", []],
] as const) {
  test(`"${query}" marks ${marked.join(" and ") || "nothing"} in "${text}"`, () => {
    const html = renderToString(<p>{highlightWords(query)(text)}</p>);
    const found = [...html.matchAll(/<mark>(.*?)<\/mark>/g)].map(([, word]) => word);
    expect(found).toEqual([...marked]);
  });
}
