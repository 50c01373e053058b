/**
 * The results of each room as a page, `RESULTS.md` beside this file.
 *
 * @module
 */

import { table, wrapped } from "../markdown.ts";
import { type Listed, listedIn } from "./alive.ts";
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
  "At first",
  "By time",
  "By types",
  "Tests",
  "Seed",
  "Revision",
  "Date",
];

/** What the page says first. */
const INTRO =
  "Written by `deno task mutate --write`; do not edit. One fault at a time was put into a copy of " +
  "the tree. Faults that the type checker refuses are not counted, and neither are those in " +
  "`equal.json`, which make no difference. Repeat a row with `deno task mutate --max N --seed S` " +
  "and the files of its room at its revision. The tests are all that run the code around the " +
  "fault. `near` (`--near`) leaves out those that start programs, unless they are in the folder of " +
  "the fault, and of the tests in other folders all but the first 30 for each fault. For code " +
  "that runs only once, while its file loads, the tests are those in its folder and those " +
  "that run other code of its file. A test that did not end in time is counted as found. " +
  "`At first` is the result of the drawn faults. Tests were then written for those that were alive, " +
  "and `--alive` tried these again at the second revision; faults whose code is gone are no longer " +
  "counted. So the share says what the tests find of these faults, and `At first` what they found " +
  "of faults that nobody had seen.";

/**
 * The text of RESULTS.md: a row for each room, and the faults that are alive. Rooms that were not
 * measured this time stay as they stand in the text of before.
 */
export function renderResults(results: readonly RoomResult[], run: Run, before: string): string {
  const measured = new Set(results.map(({ room }) => room));
  const isKept = ([room = ""]: readonly string[]) => !measured.has(room);
  const rows = [...rowsIn(before).filter(isKept), ...results.map((result) => rowOf(result, run))];
  const alive = [
    ...listedIn(before).filter(({ room }) => !measured.has(room)).map(lineOf),
    ...results.flatMap(aliveOf),
  ];
  return pageOf(rows, alive);
}

/**
 * The text of RESULTS.md after listed faults were tried again: those that are found move into the
 * counts of their rooms, and those that are no longer in the tree are counted no more.
 */
export function renderAgain(
  listed: readonly Listed[],
  results: readonly RoomResult[],
  { revision, date }: Pick<Run, "revision" | "date">,
  before: string,
): string {
  const tried = new Set(listed.map(({ room }) => room));
  const byRoom = new Map(results.map((result) => [result.room, result]));
  const rows = rowsIn(before).map((row) => {
    const [room = "", counts = "", , first = "", byTime, byTypes, tests = "", seed = "", at = ""] =
      row;
    if (!tried.has(room)) return row;
    const [found = 0, counted = 0] = counts.split(" / ").map(Number);
    const result = byRoom.get(room);
    const gone = listed.filter((one) => one.room === room).length - (result?.tried ?? 0);
    const next = {
      room,
      tried: counted - gone,
      byTests: found + (result?.byTests ?? 0),
      byTime: Number(byTime) + (result?.byTime ?? 0),
      byTypes: Number(byTypes),
      alive: [],
    };
    const revisions = `${at.split(", ")[0]}, ${revision}`;
    return cellsOf(next, { first, tests, seed, revision: revisions, date });
  });
  const alive = [
    ...listedIn(before).filter(({ room }) => !tried.has(room)).map(lineOf),
    ...results.flatMap(aliveOf),
  ];
  return pageOf(rows, alive);
}

/** The lines of a room's faults that are alive. */
function aliveOf({ room, alive }: RoomResult): string[] {
  return alive.map(({ fault }) => `${room}: ${describe(fault)}`);
}

/** The line of a listed fault. */
function lineOf({ room, fault }: Listed): string {
  return `${room}: ${fault}`;
}

/** The page with its rows and its faults. */
function pageOf(rows: readonly string[][], alive: readonly string[]): string {
  const list = alive.toSorted((a, b) => roomIn(a) < roomIn(b) ? -1 : roomIn(a) > roomIn(b) ? 1 : 0);
  return [
    "# Faults that the tests find",
    "",
    ...wrapped(INTRO),
    "",
    ...table([HEAD, ...inOrder(rows)]),
    ...list.length > 0 ? ["", "## Alive", "", "```text", ...list, "```"] : [],
    "",
  ].join("\n");
}

/** The room that a line of the list begins with. */
function roomIn(line: string): string {
  return line.slice(0, line.indexOf(":"));
}

/** The row of a room. */
function rowOf(result: RoomResult, { seed, near, revision, date }: Run): string[] {
  const first = `${result.byTests} / ${result.tried}`;
  const tests = near ? "near" : "all";
  return cellsOf(result, { first, tests, seed: String(seed), revision, date });
}

/** The texts of a row besides its counts. */
interface Cells {
  /** What was found of the drawn faults. */
  readonly first: string;
  /** Which tests ran. */
  readonly tests: string;
  /** The seed. */
  readonly seed: string;
  /** The commits. */
  readonly revision: string;
  /** The day. */
  readonly date: string;
}

/** The cells of a row. */
function cellsOf(result: RoomResult, { first, tests, seed, revision, date }: Cells): string[] {
  const { room, byTests, tried, byTime, byTypes } = result;
  const share = `${shareFound(result).toFixed(1)} %`;
  const counts = [`${byTests} / ${tried}`, share, first, String(byTime), String(byTypes)];
  return [room, ...counts, tests, seed, revision, date];
}

/** The rows of a page's table. */
function rowsIn(page: string): string[][] {
  const lines = page.split(/\r?\n/).filter((line) => line.startsWith("| "));
  return lines.slice(2).map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
}

/** Rows in the order of their rooms. */
function inOrder(rows: readonly string[][]): string[][] {
  const before = ([a = ""]: string[], [b = ""]: string[]) => a < b ? -1 : a > b ? 1 : 0;
  return rows.toSorted(before);
}
