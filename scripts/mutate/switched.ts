/**
 * The switches of all faults that are tried: their numbers, and the sources that have them.
 *
 * @module
 */

import { join } from "node:path";
import { type Fault, faultsIn } from "./places.ts";
import { type Numbered, withSwitches } from "./switches.ts";

/** The switches of all files. */
export interface Switches {
  /** The numbers of the faults. Those of code that runs while its file loads have none. */
  readonly ids: ReadonlyMap<Fault, number>;
  /** All numbers in a file. */
  readonly ofFile: ReadonlyMap<string, readonly number[]>;
  /** The sources with switches. */
  readonly sources: ReadonlyMap<string, string>;
}

/**
 * Gives faults their switches. A file that has faults without one gets switches that stay off, in its
 * statements: they show which tests run some of its code.
 */
export async function switchesFor(faults: readonly Fault[], root: string): Promise<Switches> {
  const ids = new Map<Fault, number>();
  const ofFile = new Map<string, number[]>();
  const sources = new Map<string, string>();
  let next = 0;
  for (const [file, wanted] of Map.groupBy(faults, (fault) => fault.file)) {
    const source = await Deno.readTextFile(join(root, file));
    const probes = wanted.every(({ host }) => host)
      ? []
      : faultsIn(file, source).filter(({ host }) => host?.isStatement);
    const numbered = [...wanted, ...probes].flatMap((fault): Numbered[] => {
      const { host } = fault;
      return host === undefined ? [] : [{ id: next++, fault: { ...fault, host } }];
    });
    const text = withSwitches(source, numbered);
    if (text === undefined) continue;
    sources.set(file, text);
    ofFile.set(file, numbered.map(({ id }) => id));
    let at = 0;
    for (const fault of wanted) if (fault.host) ids.set(fault, numbered[at++]?.id ?? 0);
  }
  return { ids, ofFile, sources };
}
