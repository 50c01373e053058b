/**
 * The results of each room as a page, `RESULTS.md` beside this file.
 *
 * @module
 */

import { table, wrapped } from "../markdown.ts";
import { describe, type RoomResult, shareFound } from "./report.ts";

/** How rooms were measured. */
export interface Run {
  /** The seed of the faults. */
  readonly seed: number;
  /** Whether only the tests near each fault ran. */
  readonly near: boolean;
  /** The commit that was measured. */
  readonly revision: string;
  /** The day. */
  readonly date: string;
}

/** The head of the table. */
const HEAD = [
  "Room",
  "Found / counted",
  "Share",
  "By time",
  "By types",
  "Tests",
  "Seed",
  "Revision",
  "Date",
];

/**
 * The text of RESULTS.md: a row for each room, and the faults that are alive. Rooms that were not
 * measured this time stay as they stand in the text of before.
 */
export function renderResults(results: readonly RoomResult[], run: Run, before: string): string {
  const intro =
    "Written by `deno task mutate --write`; do not edit. One fault at a time was put into a copy of " +
    "the tree. Faults that the type checker refuses are not counted, and neither are those in " +
    "`equal.json`, which make no difference. Repeat a row with `deno task mutate --max N --seed S` " +
    "and the files of its room at its revision. The tests are all that run the code around the " +
    "fault. `near` (`--near`) leaves out those that start programs, unless they are in the folder of " +
    "the fault, and of the tests in other folders all but the first 30 for each fault. For code " +
    "that runs only once, while its file loads, the tests are those in its folder and those " +
    "that run other code of its file. A test that did not end in time is counted as found.";
  const measured = new Set(results.map(({ room }) => room));
  const isKept = ([room = ""]: readonly string[]) => !measured.has(room);
  const rows = [...rowsIn(before).filter(isKept), ...results.map((result) => rowOf(result, run))];
  const alive = [
    ...aliveIn(before).filter(isKept),
    ...results.flatMap(({ room, alive }) => alive.map(({ fault }) => [room, describe(fault)])),
  ];
  const list = inOrder(alive).map(([room, fault]) => `${room}: ${fault}`);
  return [
    "# Faults that the tests find",
    "",
    ...wrapped(intro),
    "",
    ...table([HEAD, ...inOrder(rows)]),
    ...list.length > 0 ? ["", "## Alive", "", "```text", ...list, "```"] : [],
    "",
  ].join("\n");
}

/** The row of a room. */
function rowOf(result: RoomResult, { seed, near, revision, date }: Run): string[] {
  const { room, byTests, tried, byTime, byTypes } = result;
  const found = `${byTests} / ${tried}`;
  const share = `${shareFound(result).toFixed(1)} %`;
  const tests = near ? "near" : "all";
  return [room, found, share, String(byTime), String(byTypes), tests, String(seed), revision, date];
}

/** The rows of a page's table. */
function rowsIn(page: string): string[][] {
  const lines = page.split(/\r?\n/).filter((line) => line.startsWith("| "));
  return lines.slice(2).map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
}

/** The rooms and faults of a page's list. */
function aliveIn(page: string): string[][] {
  const list = /```text\r?\n([^]*?)\r?\n```/.exec(page)?.[1] ?? "";
  return list.split(/\r?\n/).flatMap((line) => {
    const [, room, fault] = /^(\S+): (.*)$/.exec(line) ?? [];
    return room === undefined || fault === undefined ? [] : [[room, fault]];
  });
}

/** Rows in the order of their rooms. */
function inOrder(rows: readonly string[][]): string[][] {
  const before = ([a = ""]: string[], [b = ""]: string[]) => a < b ? -1 : a > b ? 1 : 0;
  return rows.toSorted(before);
}
