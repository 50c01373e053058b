/**
 * What is known of the latest population of a project, in the database: any process on it may be asked
 * for it, and any may stop it.
 *
 * @module
 */

import type { NewPopulation, Population } from "../../../simulator/population.ts";
import type { ProjectTx } from "../../store/mod.ts";
import type { Counts } from "./world.ts";

/** A population that is being made, or was. */
export interface Note {
  /** The process that makes it. */
  maker: string;
  /** Whether it is being made, unless its maker has ended. */
  running: boolean;
  /** Whether somebody asked its maker to stop. */
  stop: boolean;
  /** Whether it was stopped. */
  cancelled: boolean;
  /** Why it failed. */
  error: string | null;
  /** When it began, by wall time. */
  began_at: number;
  /** The number of customers that were asked for. */
  wanted: number;
  /** The rest of what was asked for; an earlier version kept none of it. */
  plan?: Pick<NewPopulation, "seed" | "months" | "kind">;
  /** How many customers had come before the latest start. */
  first?: number;
  /** The number of batches that were played. */
  batches?: number;
  /** How much there is. */
  counts: Counts;
  /** When the past begins. */
  from: number;
  /** The time that was reached. */
  now: number;
  /** When the past ends. */
  to: number;
}

/** The name of the setting that keeps the note of a project. */
function nameOf({ projectId }: ProjectTx): string {
  return `population/${projectId}`;
}

/** Reads the note of a project, if there is one. */
export async function readNote(tx: ProjectTx): Promise<Note | undefined> {
  const row = await tx.whole.selectFrom("settings").select("value").where("name", "=", nameOf(tx))
    .executeTakeFirst();
  return row && JSON.parse(row.value);
}

/** Writes the note of a project. */
export async function writeNote(tx: ProjectTx, note: Note): Promise<void> {
  const value = JSON.stringify(note);
  await tx.whole.insertInto("settings").values({ name: nameOf(tx), value })
    .onConflict((known) => known.column("name").doUpdateSet({ value })).execute();
}

/** Whether a population is the wanted one, and some of its customers have not come. */
export function isRestOf(note: Note, wanted: NewPopulation): boolean {
  return isSame(note, wanted) && note.counts.customers < note.wanted;
}

/** Whether a population is the wanted one. */
export function isSame({ plan, wanted: customers }: Note, wanted: NewPopulation): boolean {
  return customers === wanted.customers && plan?.seed === wanted.seed &&
    plan.months === wanted.months && plan.kind === wanted.kind;
}

/** A population as it is shown. `isAlive`: whether its maker is. */
export function show(note: Note, wall: number, isAlive: boolean): Population {
  const { counts, wanted, plan, from, now, to, cancelled } = note;
  const running = note.running && isAlive;
  return {
    object: "population",
    running,
    cancelled,
    wanted,
    seed: plan?.seed ?? null,
    months: plan?.months ?? null,
    kind: plan?.kind ?? null,
    ...counts,
    from,
    now: running ? now : to,
    to,
    left_ms: running ? leftOf(note, wall) : null,
    error: note.running && !isAlive ? "the process that made it has ended" : note.error,
  };
}

/** How long the rest takes. The more subscribers there are, the more each day takes. */
function leftOf({ counts, wanted, first = 0, began_at }: Note, wall: number): number | null {
  const workOf = (customers: number) => customers / wanted * (0.5 + 0.5 * customers / wanted);
  const all = workOf(counts.customers);
  const done = all - workOf(first);
  return done < 0.02 ? null : Math.round((wall - began_at) * (1 - all) / done);
}
