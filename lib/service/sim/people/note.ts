/**
 * What is known of the latest population of a project, in the database: any process on it may be asked
 * for it, and any may stop it.
 *
 * @module
 */

import type { Population } from "../../../simulator/population.ts";
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

/** A population as it is shown. `isAlive`: whether its maker is. */
export function show(note: Note, wall: number, isAlive: boolean): Population {
  const { counts, wanted, from, now, to, cancelled } = note;
  const running = note.running && isAlive;
  return {
    object: "population",
    running,
    cancelled,
    wanted,
    ...counts,
    from,
    now: running ? now : to,
    to,
    left_ms: running ? leftOf(note, wall) : null,
    error: note.running && !isAlive ? "the process that made it has ended" : note.error,
  };
}

/** How long the rest takes. The more subscribers there are, the more each day takes. */
function leftOf({ counts, wanted, began_at }: Note, wall: number): number | null {
  const share = counts.customers / wanted;
  const done = share * (0.5 + 0.5 * share);
  return done < 0.02 ? null : Math.round((wall - began_at) * (1 - done) / done);
}
