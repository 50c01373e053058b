/**
 * Searching for a fault of a handler with random lives, and making what finds it as small as can be.
 *
 * @module
 */

import { type Complaint, type Coverage, type Handler, tryHandler } from "./deliver.ts";
import { type Life, lives } from "./life.ts";
import { type Played, playLife } from "./play.ts";
import type { Stage } from "../run/stage.ts";

/** How to search. */
interface SearchOptions {
  /** How many lives are tried. */
  readonly runs: number;
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
  /** The fault, if one was found. */
  readonly found: Found | undefined;
  /** How many lives were tried until a fault was found, or in all. */
  readonly lives: number;
  /** What was tried. */
  readonly coverage: Coverage;
}

/** The most lives that are tried to make a fault smaller. */
const MOST_SMALLER = 400;

/** Searches for a fault. */
export async function searchFault(options: SearchOptions): Promise<Search> {
  const { runs, seed, signal } = options;
  const fc = await import("fast-check");
  const coverage: Coverage = new Map();
  let found: Found | undefined;
  let tried = 0;
  let until = 0;
  let smaller = 0;
  const property = fc.asyncProperty(lives(fc), async (life) => {
    signal.throwIfAborted();
    if (found && ++smaller > MOST_SMALLER) return true;
    const [ada, bob] = [`${options.prefix}-${tried}-ada`, `${options.prefix}-${tried}-bob`];
    tried++;
    const complaint = await tryLife(options, life, [ada, bob], coverage);
    options.tell?.(tried);
    // Another fault must not take the place of the first one on the way.
    if (!complaint || found && found.complaint.kind !== complaint.complaint.kind) return true;
    if (!found) until = tried;
    found = complaint;
    return false;
  });
  await fc.check(property, { numRuns: runs, seed });
  return { found, lives: found ? until : tried, coverage };
}

/** Tries one life. */
async function tryLife(
  { open, handler, entitlement }: SearchOptions,
  life: Life,
  customers: readonly [string, string],
  coverage: Coverage,
): Promise<Found | undefined> {
  const stage = await open(customers[0]);
  try {
    const played = await playLife(stage, life, customers);
    const { tricks } = life;
    const complaint = await tryHandler(handler, played, { tricks, entitlement, coverage });
    return complaint && { complaint, life, played };
  } finally {
    await stage.close();
  }
}
