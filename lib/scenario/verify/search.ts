/**
 * Searching for a fault of a handler with random lives, and making what finds it as small as can be.
 *
 * @module
 */

import { Cancelled } from "../../errors.ts";
import { type Complaint, type Coverage, type Handler, tryHandler } from "./deliver.ts";
import { type Ingredient, type Life, lives } from "./life.ts";
import { type Played, playLife } from "./play.ts";
import type { Stage } from "../run/stage.ts";

/** How to search. */
interface SearchOptions {
  /** How many lives are tried. */
  readonly runs: number;
  /** How many faults are searched for. */
  readonly faults: number;
  /** What the lives are drawn by. */
  readonly seed: number;
  /** The entitlement that the handler is asked about. */
  readonly entitlement: string;
  /** The handler. */
  readonly handler: Handler;
  /** Opens a stage with the catalogue of the stories. A handler must meet no id twice. */
  open(seed: string): Promise<Stage & { close(): Promise<void> }>;
  /** What the ids of customers begin with, other ones in each search. */
  readonly prefix: string;
  /** Fires when the search must end. */
  readonly signal: AbortSignal;
  /** Called after each life. */
  tell?(lives: number): void;
}

/** What finds a fault, made small. */
export interface Found {
  /** What is wrong. */
  readonly complaint: Complaint;
  /** The life. */
  readonly life: Life;
  /** What happened in it. */
  readonly played: Played;
}

/** What came of a search. */
export interface Search {
  /** The faults, each with another cause. */
  readonly found: readonly Found[];
  /** How many lives were tried until the first fault was found, or in all. */
  readonly lives: number;
  /** What was tried. */
  readonly coverage: Coverage;
  /** The error that ended the search after a fault was found, if one did; `Cancelled` for the signal. */
  readonly broken?: unknown;
}

/** The most lives that are tried to make a fault smaller. */
const MOST_SMALLER = 400;

/** A search under way. */
interface Searching {
  /** The lives so far, those that make a fault smaller among them. */
  tried: number;
  /** What was tried. */
  readonly coverage: Coverage;
  /** What the faults so far need: lives without it show others. */
  readonly without: Set<Ingredient>;
}

/**
 * Searches for faults. After each one, lives without its cause are tried. Faults found before an error
 * or the signal are kept.
 *
 * @throws {Cancelled} when the signal fires before a fault is found.
 */
export async function searchFaults(options: SearchOptions): Promise<Search> {
  const searching: Searching = { tried: 0, coverage: new Map(), without: new Set() };
  const found: Found[] = [];
  let first: number | undefined;
  let broken: unknown;
  for (let left = options.runs; left > 0 && found.length < options.faults;) {
    const { fault, lives, why } = await searchOne(options, searching, left, found.length);
    left -= lives;
    first ??= lives;
    if (fault) found.push(fault);
    if (why !== undefined && found.length === 0) throw why;
    broken = why;
    if (!fault || broken !== undefined) break;
    searching.without.add(causeOf(fault));
  }
  const lives = found.length > 0 ? first ?? 0 : searching.tried;
  return { found, lives, coverage: searching.coverage, broken };
}

/** What a fault needs, as far as its smallest life says so. */
function causeOf({ life: { moves, tricks } }: Found): Ingredient {
  const trick = tricks.at(-1)?.what;
  if (trick) return trick;
  if (moves.some(({ what }) => what === "buy_sandbox")) return "buy_sandbox";
  return moves.findLast(({ what }) => what !== "wait" && !what.startsWith("buy"))?.what ??
    moves.at(-1)?.what ?? "wait";
}

/** Searches for one fault, and makes it small. */
async function searchOne(
  options: SearchOptions,
  searching: Searching,
  runs: number,
  round: number,
): Promise<{ fault: Found | undefined; lives: number; why?: unknown }> {
  const { seed, signal } = options;
  const fc = await import("fast-check");
  const { coverage, without } = searching;
  const before = searching.tried;
  let fault: Found | undefined;
  let until = 0;
  let smaller = 0;
  let broken: { readonly why: unknown } | undefined;
  const property = fc.asyncProperty(lives(fc, without), async (life) => {
    // An error of the search says nothing about the handler, and nothing smaller is looked for.
    if (broken || signal.aborted || fault && ++smaller > MOST_SMALLER) return true;
    const number = searching.tried++;
    const complaint = await tryLife(options, life, number, coverage).catch((why: unknown) => {
      broken = { why };
      return undefined;
    });
    options.tell?.(searching.tried);
    // Another fault must not take the place of the first one on the way.
    if (!complaint || fault && fault.complaint.kind !== complaint.complaint.kind) return true;
    if (!fault) until = searching.tried - before;
    fault = complaint;
    return false;
  });
  await fc.check(property, { numRuns: runs, seed: seed + round });
  const why = signal.aborted ? new Cancelled("Stopped", { cause: signal.reason }) : broken?.why;
  return { fault, lives: until, why };
}

/** Tries one life. */
async function tryLife(
  { open, handler, entitlement, prefix, seed }: SearchOptions,
  life: Life,
  number: number,
  coverage: Coverage,
): Promise<Found | undefined> {
  const aliases = [`${prefix}-${number}-ada`, `${prefix}-${number}-bob`] as const;
  const stage = await open(aliases[0]);
  try {
    const played = await playLife(stage, life, { aliases, mark: `${seed}-${number}` });
    const { tricks } = life;
    const complaint = await tryHandler(handler, played, { tricks, entitlement, coverage });
    return complaint && { complaint, life, played };
  } finally {
    await stage.close();
  }
}
