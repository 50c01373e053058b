/**
 * The faults that RESULTS.md lists as alive, and where they are in the tree now.
 *
 * @module
 */

import type { Fault } from "./places.ts";
import { describe } from "./report.ts";

/** A line of the list. */
export interface Listed {
  /** The room. */
  readonly room: string;
  /** The fault, as it is described. */
  readonly fault: string;
}

/** A described fault. */
interface Described {
  /** The path of the file. */
  readonly file: string;
  /** The number of the line. */
  readonly line: number;
  /** The kind of the change, and both texts. */
  readonly what: string;
}

/** The faults that a page lists as alive. */
export function listedIn(page: string): Listed[] {
  const list = /```text\r?\n([^]*?)\r?\n```/.exec(page)?.[1] ?? "";
  return list.split(/\r?\n/).flatMap((line) => {
    const [, room, fault] = /^(\S+): (.*)$/.exec(line) ?? [];
    return room === undefined || fault === undefined ? [] : [{ room, fault }];
  });
}

/** The file of a listed fault. */
export function fileOf({ fault }: Listed): string {
  return read(fault).file;
}

/**
 * The listed ones of a file's faults. Lines may have moved since: of several equal changes, the one
 * that is nearest to the listed line counts.
 */
export function listedOf(
  listed: readonly Listed[],
  file: string,
  faults: readonly Fault[],
): Fault[] {
  const open = new Set(faults);
  return listed.map(({ fault }) => read(fault)).flatMap((one) => {
    if (one.file !== file) return [];
    const distance = ({ line }: Fault) => Math.abs(line - one.line);
    const [nearest] = [...open].filter((fault) => read(describe(fault)).what === one.what)
      .sort((a, b) => distance(a) - distance(b));
    if (nearest === undefined) return [];
    open.delete(nearest);
    return [nearest];
  });
}

/** Reads the description of a fault. */
function read(fault: string): Described {
  const [, file = "", line = "", what = ""] = /^(\S+?):(\d+) (.*)$/.exec(fault) ?? [];
  return { file, line: Number(line), what };
}
