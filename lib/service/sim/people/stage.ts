/**
 * A batch while it is played: what people and time act on.
 *
 * @module
 */

import { parseDuration } from "../../domain/calendar.ts";
import type { PurchaseStep } from "../../domain/purchase.ts";
import type { Step, Subscription } from "../../domain/step.ts";
import type { Journal } from "../../ledger/journal.ts";
import { partOf } from "./chance.ts";
import type { Person } from "./people.ts";
import type { Item, World } from "./world.ts";

/** A batch while it is played. */
export interface Stage {
  /** The world before the batch. */
  readonly world: World;
  /** Takes down what happens. Deeds read through it, as the database lacks what it has not written. */
  readonly journal: Journal;
  /** Somebody. */
  person(index: number): Person;
  /** A subscription as it is now. */
  current(id: string | undefined): Subscription | undefined;
  /** Takes down steps of a subscription, and plans what follows from them. */
  record(item: Item, steps: Step | readonly Step[]): Promise<void>;
  /** Takes down a one-time purchase or its refund. */
  recordPurchase(step: PurchaseStep): Promise<void>;
  /** Plans something, unless it is after the end. */
  plan(item: Omit<Item, "number">): void;
  /** Notes somebody who has bought nothing. */
  addIdle(id: string): void;
  /** Takes somebody who has bought nothing, if there is one. */
  takeIdle(): string | undefined;
}

/** The months of a period, at least a quarter of one. */
export function monthsIn(duration: string | null): number {
  const { months, days } = parseDuration(duration ?? "P1M");
  return Math.max(0.25, months + days / 30);
}

/** Plans something for the same person, so many milliseconds later. */
export function plan(
  stage: Stage,
  { at, person, key }: Item,
  act: Item["act"],
  wait: number,
  subject?: string,
): void {
  stage.plan({ at: Math.floor(at + wait), act, person, key: partOf(key, ACT_PART), subject });
}

/** The part of a key that is the key of what follows. */
const ACT_PART = 4;
