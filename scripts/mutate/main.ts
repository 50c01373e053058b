/**
 * Measures the tests: puts one fault at a time into a copy of the tree, and sees whether the types or
 * a test find it.
 *
 * `deno task mutate` tries 40 faults in each room; `deno task mutate lib/cli/screen/card.ts lib/auth` tries
 * all faults of a file and a folder; `--since REV` those on lines that have changed since a commit;
 * `--alive` those that `RESULTS.md` lists as alive. `--max N` sets how many faults are counted in each
 * room, `--jobs N` how many are tried at a time, `--seed N` which are drawn. `--near` leaves out tests
 * that start programs, unless they are near a fault, and most of the others that are not. `--kind KIND`
 * tries faults of one kind alone, such as `tenancy`. `--nice N` sets the priority of all processes
 * (10). `--write` writes each room's result into `RESULTS.md`, as soon as the room is done. It fails
 * when the tests find less than `--at-least P` percent (95; with `--alive` 100) of a room's faults. A
 * fault that makes no difference belongs into `equal.json`, with the reason.
 *
 * @module
 */

import { setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { fileOf, type Listed, listedIn, listedOf } from "./alive.ts";
import { changedSince, revisionOf } from "./changed.ts";
import { areWhole, filesNamed } from "./files.ts";
import { filesUnder } from "./graph.ts";
import { byRoom, describe, renderReport, type RoomResult, shareFound } from "./report.ts";
import { renderAgain, renderResults, type Run } from "./results.ts";
import { type Plan, tryFaults } from "./run.ts";
import { roomOf } from "./sample.ts";
import type { Trial } from "./trial.ts";

/** The number of counted faults of a room when all rooms are measured. */
const USUAL_MAX = 40;

/** The usual priority of all processes. */
const USUAL_NICE = 10;

/** The page of results. */
const RESULTS = fileURLToPath(new URL("RESULTS.md", import.meta.url));

/** The result of a room in which nothing was tried. */
const NOTHING = { tried: 0, byTests: 0, byTime: 0, byTypes: 0, alive: [] };

/** The options of the command. */
interface Wishes {
  /** The repository, for tests of this program. */
  root: string;
  /** Files and folders; empty for all. */
  paths: string[];
  /** Only lines that have changed since this commit. */
  since?: string | undefined;
  /** Only faults of this kind. */
  kind?: string | undefined;
  /** Whether only the faults that RESULTS.md lists as alive are tried. */
  alive: boolean;
  /** The most faults of each room. */
  max: number;
  /** The number of faults tried in parallel. */
  jobs: number;
  /** The seed. */
  seed: number;
  /** Whether only the tests near each fault's file run. */
  near: boolean;
  /** Whether the results go into RESULTS.md. */
  write: boolean;
  /** The share that tests must find, in percent. */
  atLeast: number;
  /** The priority of all processes: from 0, as other programs, to 19, the lowest. */
  nice: number;
}

/**
 * Reads the words.
 *
 * @throws {RangeError} when one of them makes no sense.
 */
function readWishes(words: string[]): Wishes {
  const text = { type: "string" } as const;
  const { values, positionals } = parseArgs({
    args: words,
    options: {
      root: text,
      since: text,
      kind: text,
      max: text,
      jobs: text,
      seed: text,
      alive: { type: "boolean", default: false },
      near: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
      "at-least": text,
      nice: text,
    },
    allowPositionals: true,
  });
  const isAll = positionals.length === 0 && values.since === undefined && !values.alive;
  const paths = positionals.map((path) => path.replaceAll("\\", "/").replace(/^\.\/|\/$/g, ""));
  return {
    root: values.root ?? fileURLToPath(new URL("../../", import.meta.url)),
    paths,
    since: values.since,
    kind: values.kind,
    alive: values.alive,
    max: readNumber("--max", values.max) ?? (isAll ? USUAL_MAX : Infinity),
    jobs: readNumber("--jobs", values.jobs) || navigator.hardwareConcurrency,
    seed: readNumber("--seed", values.seed) ?? 1,
    near: values.near,
    write: values.write,
    atLeast: readNumber("--at-least", values["at-least"]) ?? (values.alive ? 100 : 95),
    nice: readNumber("--nice", values.nice) ?? USUAL_NICE,
  };
}

/** Reads a whole number. */
function readNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new RangeError(`Cannot use ${name} "${text}": it is not a whole number`);
}

/**
 * The files that faults are put into: the program and its library, or those of them that are named, in
 * the order of the names.
 *
 * @throws {RangeError} when a name is no file, and when RESULTS.md would get a part of a room.
 */
async function filesFor({ root, paths, since, kind, write }: Wishes): Promise<readonly string[]> {
  const all = ["cli.ts", ...await filesUnder(root, "lib")];
  const files = filesNamed(all, paths);
  const isAll = since === undefined && kind === undefined;
  if (!write || isAll && areWhole(files, all)) return files;
  throw new RangeError("Cannot write results: they are of parts of rooms");
}

/** Which faults of some files a run tries, and where their results go. */
interface Draw {
  /** The files. */
  readonly files: readonly string[];
  /** Those of a file's faults that may be tried. */
  readonly wanted: Plan["wanted"];
  /** The text of RESULTS.md with the results of some rooms, in place of the text of before. */
  render(results: readonly RoomResult[], run: Run, before: string): string;
  /** The rooms whose listed faults are all gone. */
  goneAmong(tried: ReadonlySet<string>): string[];
}

/** The faults of the wished files, or their changed lines. */
async function drawAll(wishes: Wishes): Promise<Draw> {
  const { root, since } = wishes;
  const changed = since === undefined ? undefined : await changedSince(root, since);
  return {
    files: (await filesFor(wishes)).filter((file) => !changed || changed.has(file)),
    wanted: (file, faults) =>
      changed ? faults.filter(({ line }) => changed.get(file)?.has(line)) : faults,
    render: renderResults,
    goneAmong: () => [],
  };
}

/** The faults that RESULTS.md lists as alive in the wished files. */
async function drawAlive(wishes: Wishes): Promise<Draw> {
  const files = new Set(await filesFor(wishes));
  const rooms = new Set([...files].map(roomOf));
  // A file may be gone, and its faults with it.
  const isWished = (one: Listed) => rooms.has(one.room) && (wishes.write || files.has(fileOf(one)));
  const listed = listedIn(await readPage()).filter(isWished);
  return {
    files: [...new Set(listed.map(fileOf))].filter((file) => files.has(file)),
    wanted: (file, faults) => listedOf(listed, file, faults),
    render(results, run, before) {
      const ended = new Set(results.map(({ room }) => room));
      return renderAgain(listed.filter(({ room }) => ended.has(room)), results, run, before);
    },
    goneAmong: (tried) =>
      [...new Set(listed.map(({ room }) => room))].filter((room) => !tried.has(room)),
  };
}

/** Runs the command. Returns the exit code. Results before a Ctrl-C are printed as well. */
async function main(words: string[], signal: AbortSignal): Promise<number> {
  const wishes = readWishes(words);
  const { root, max, jobs, seed, near, atLeast, kind } = wishes;
  // Started processes have the same low priority, so that other work goes first.
  setPriority(Math.min(19, wishes.nice));
  const { files, wanted, render, goneAmong } = await (wishes.alive ? drawAlive : drawAll)(wishes);
  const revision = wishes.write ? await revisionOf(root) : "";
  const trials: Trial[] = [];
  const counts = new Map<string, number>();
  const write = async (results: RoomResult[]) => {
    if (!wishes.write) return;
    const date = new Date().toISOString().slice(0, 10);
    await Deno.writeTextFile(
      RESULTS,
      render(results, { seed, near, revision, date }, await readPage()),
    );
  };
  try {
    await tryFaults({
      root,
      files,
      max,
      jobs,
      seed,
      near,
      signal,
      wanted: (file, faults) =>
        wanted(file, faults).filter((fault) => kind === undefined || fault.kind === kind),
      tell: (what) => console.error(what),
      tellTrial(trial) {
        trials.push(trial);
        tellTrial(trial, counts);
      },
      async endRoom(room) {
        const results = byRoom(trials).filter((result) => result.room === room);
        console.error(renderReport(results, seed));
        await write(results);
      },
    });
    const gone = goneAmong(new Set(byRoom(trials).map(({ room }) => room)));
    await write(gone.map((room) => ({ room, ...NOTHING })));
  } finally {
    console.log(renderReport(byRoom(trials), seed));
  }
  const low = byRoom(trials).filter((result) => shareFound(result) < atLeast);
  for (const { room } of low) console.error(`The tests find less than ${atLeast} % in ${room}`);
  return low.length > 0 ? 1 : 0;
}

/** The page of results; empty when there is none. */
async function readPage(): Promise<string> {
  return await Deno.readTextFile(RESULTS).catch(() => "");
}

/** Prints the result of a fault. */
function tellTrial({ fault, found, by }: Trial, counts: Map<string, number>): void {
  const room = roomOf(fault.file);
  const count = (counts.get(room) ?? 0) + (found === "types" ? 0 : 1);
  counts.set(room, count);
  const verdict = {
    types: "the types refuse it",
    tests: `found by ${by}`,
    time: `too slow in ${by}`,
    no: "ALIVE",
  };
  console.error(`${room} ${count}: ${describe(fault)}: ${verdict[found]}`);
}

if (import.meta.main) {
  const stop = new AbortController();
  const signals: Deno.Signal[] = Deno.build.os === "windows" ? ["SIGINT"] : ["SIGINT", "SIGTERM"];
  const cancel = () => stop.abort(new RangeError("Stopped"));
  for (const signal of signals) Deno.addSignalListener(signal, cancel);
  try {
    Deno.exitCode = await main(Deno.args, stop.signal);
  } catch (error) {
    if (!(error instanceof RangeError) && !(error instanceof TypeError)) throw error;
    console.error(error.message);
    Deno.exitCode = stop.signal.aborted ? 130 : 2;
  } finally {
    for (const signal of signals) Deno.removeSignalListener(signal, cancel);
  }
}
