import type { OpeningHours } from "../../src/directory/schemas.ts";
import { weeksOf } from "./hours.ts";
import { foodTrades } from "./trades/food.ts";
import { leisureTrades } from "./trades/leisure.ts";
import { serviceTrades } from "./trades/services.ts";
import { shopTrades } from "./trades/shops.ts";

/** How businesses of a trade are named and described. */
const styles = ["brand", "eatery", "place", "practice", "pub", "salon", "shop", "trade"] as const;
export type Style = (typeof styles)[number];

export interface Trade {
  /** Slug of its category. */
  category: string;
  /** How common it is, relative to the others. */
  weight: number;
  style: Style;
  /** The weekly hours that it may have. */
  hours: readonly OpeningHours[][];
  /** A business of this trade, for use in a sentence: "fish and chip shop". */
  noun: string;
  /** Endings of names: "Fish Bar". */
  endings: readonly string[];
  /** What it offers, for use in a sentence. */
  offers: readonly string[];
  /** Names peculiar to this trade; may be empty. */
  ownNames: readonly string[];
}

/** One trade for each leaf of the taxonomy. */
export const trades: readonly Trade[] = [
  foodTrades,
  shopTrades,
  serviceTrades,
  leisureTrades,
].flatMap(readTrades);

/** Reads lines of: category | weight | style | hours | noun | endings | offers | own names. */
function readTrades(table: string): Trade[] {
  return table
    .trim()
    .split("\n")
    .map((line) => {
      const [category = "", weight, style = "", kind = "", noun = "", endings, offers, ownNames] =
        line.split("|");
      const hours = weeksOf.get(kind);
      if (!isStyle(style) || !hours) throw new Error(`Not a trade: ${line}`);
      return {
        category,
        weight: Number(weight),
        style,
        hours,
        noun,
        endings: list(endings),
        offers: list(offers),
        ownNames: list(ownNames),
      };
    });
}

function list(cell = ""): string[] {
  return cell === "" ? [] : cell.split(";");
}

function isStyle(text: string): text is Style {
  return (styles as readonly string[]).includes(text);
}
