import type { Random } from "../generate/random.ts";

/**
 * A rank from 1 to `count`, where rank r comes up about as often as r^-exponent: the inverse of the
 * cumulative distribution function of the continuous (bounded Pareto) form, rounded down.
 */
export function zipf(random: Random, count: number, exponent: number): number {
  const chance = random.fraction();
  const rest = 1 - exponent;
  const rank =
    Math.abs(rest) < 1e-9
      ? (count + 1) ** chance
      : (1 + chance * ((count + 1) ** rest - 1)) ** (1 / rest);
  return Math.min(count, Math.floor(rank));
}
