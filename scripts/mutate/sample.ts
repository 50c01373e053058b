/**
 * Which faults are tried, and in which order: the same for the same seed.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { Fault } from "./places.ts";

/**
 * Faults in random order. The more there are of a kind, the more often it comes, but only by the
 * square root of their number: otherwise most faults would be missing fields and texts. Each fault
 * draws by itself, so that others which come or go do not change the order of the rest.
 */
export function inRandomOrder(faults: readonly Fault[], seed: number): Fault[] {
  const kinds = Map.groupBy(faults, ({ kind }) => kind);
  const seen = new Map<string, number>();
  const drawn = faults.map((fault) => {
    const { file, text, kind, before, after } = fault;
    const what = [file, text, kind, before, after].join("\n");
    const nth = (seen.get(what) ?? 0) + 1;
    seen.set(what, nth);
    const weight = 1 / Math.sqrt(kinds.get(kind)?.length ?? 1);
    return { fault, at: -Math.log(chanceOf(`${seed}\n${nth}\n${what}`)) / weight };
  });
  return drawn.sort((a, b) => a.at - b.at).map(({ fault }) => fault);
}

/** A number above 0 and up to 1 for a text, always the same one. */
function chanceOf(text: string): number {
  return (createHash("sha256").update(text).digest().readUIntBE(0, 6) + 1) / 2 ** 48;
}

/** The room of PostgreSQL's engine. */
export const POSTGRES = "postgres";

/** What only several processes on one database use. */
const SHARED =
  /^lib\/service\/((events|sim)\/shared_faults|events\/shared_results|http\/shared_rates|store\/delivery_lines)\.ts$/;

/**
 * The room that a file is in: a folder of lib/, or one of lib/service/. PostgreSQL's engine is one of
 * its own, with what several processes share: only tests on a server of that kind run most of it.
 */
export function roomOf(file: string): string {
  if (file.startsWith("lib/service/store/postgres/") || SHARED.test(file)) return POSTGRES;
  const [top = "", first = "", second = ""] = file.split("/").slice(0, -1);
  if (top !== "lib") return top || "entry";
  if (first === "") return "lib";
  return first === "service" ? second || "service" : first;
}
