import { grouped } from "../../src/numbers.ts";
import { formatTable } from "../terminal/table.ts";
import type { Measured } from "./scenario.ts";

export type Line = { name: string; title: string } & Measured;

/** The figures as one table, with notes below. */
export function describe(lines: readonly Line[]): string {
  const heads = [
    ...["scenario", "per second", "p50 ms", "p99 ms", "memory MB"],
    ...["baseline", "its per second", "p50 ms", "p99 ms", "ratio", "goal", "reached"],
  ];
  const rows = lines.map((line) => [
    line.title,
    whole(line.perSecond),
    decimal(line.p50Ms),
    decimal(line.p99Ms),
    whole(line.memoryBytes && line.memoryBytes / 1e6),
    line.baseline?.title ?? "",
    whole(line.baseline?.perSecond),
    decimal(line.baseline?.p50Ms),
    decimal(line.baseline?.p99Ms),
    line.ratio?.toFixed(2) ?? "",
    line.goal,
    line.isReached ? "yes" : "no",
  ]);
  return [formatTable(heads, rows), ...lines.flatMap(remarks)].join("\n");
}

function remarks({ title, ratios, mix, notes = [] }: Line): string[] {
  const all = [
    ...(mix
      ? [
          `${whole(mix.requests)} requests recorded, ${whole(mix.different)} distinct; the most popular hundredth of those are ${Math.round(mix.topShare * 100)} % of all`,
        ]
      : []),
    ...(ratios
      ? [`ratios of the rounds: ${ratios.map((ratio) => ratio.toFixed(2)).join(", ")}`]
      : []),
    ...notes,
  ];
  return all.length > 0 ? ["", title, ...all.map((remark) => `  ${remark}`)] : [];
}

const whole = (number: number | undefined) =>
  number === undefined ? "" : grouped(Math.round(number));

const decimal = (number: number | undefined) => number?.toFixed(2) ?? "";
