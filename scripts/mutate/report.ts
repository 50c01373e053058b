/**
 * The results of the faults, as text: a table by room, and the survivors.
 *
 * @module
 */

import { oneLine } from "./equal.ts";
import type { Fault } from "./places.ts";
import { roomOf } from "./sample.ts";
import type { Trial } from "./trial.ts";

/** The results of the faults in one room. */
export interface RoomResult {
  /** The room. */
  readonly room: string;
  /** The number of faults that could run. Faults refused by the type checker are not counted. */
  readonly tried: number;
  /** The number found by tests. */
  readonly byTests: number;
  /** The number found by the time limit. */
  readonly byTime: number;
  /** The number found by the type checker. */
  readonly byTypes: number;
  /** The survivors. */
  readonly alive: readonly Trial[];
}

/** Sums the trials of each room up, in the order of the rooms' names. */
export function byRoom(trials: readonly Trial[]): RoomResult[] {
  const rooms = Map.groupBy(trials, ({ fault }) => roomOf(fault.file));
  return [...rooms].map(([room, ofRoom]) => {
    const count = (...by: Trial["found"][]) =>
      ofRoom.filter(({ found }) => by.includes(found)).length;
    return {
      room,
      tried: count("tests", "time", "no"),
      byTests: count("tests", "time"),
      byTime: count("time"),
      byTypes: count("types"),
      alive: ofRoom.filter(({ found }) => found === "no"),
    };
  }).sort((a, b) => a.room < b.room ? -1 : 1);
}

/** The share of a room's faults that tests found, in percent. A room without faults has all. */
export function shareFound({ tried, byTests }: RoomResult): number {
  return tried === 0 ? 100 : 100 * byTests / tried;
}

/** The table and the seed, then every fault that is alive with its place. */
export function renderReport(results: readonly RoomResult[], seed: number): string {
  const rows = [
    ["ROOM", "FOUND / COUNTED", "(BY TIME)", "BY TYPES", "ALIVE", "FOUND"],
    ...results.map((result) => [
      result.room,
      `${result.byTests} / ${result.tried}`,
      ...[result.byTime, result.byTypes, result.alive.length].map(String),
      `${shareFound(result).toFixed(0)} %`,
    ]),
  ];
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  const table = rows.map((row) =>
    row.map((cell, i) => i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))
      .join("  ")
  );
  const alive = results.flatMap((result) => result.alive).map(({ fault, tests }) =>
    `${describe(fault)}\n  ${tests === 0 ? "no test runs it" : `${tests} test files run it`}`
  );
  const seeded = `Seed ${seed}`;
  return [...table, seeded, ...alive.length > 0 ? ["", "Alive:", ...alive] : []].join("\n");
}

/** A fault in one line. */
export function describe({ file, line, kind, before, after }: Fault): string {
  return `${file}:${line} ${kind}: ${oneLine(before)} → ${oneLine(after) || "(nothing)"}`;
}
