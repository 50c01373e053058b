/**
 * The switches of all faults that are tried: their numbers, and the sources that have them.
 *
 * @module
 */

import { join } from "node:path";
import type { Layout } from "./layout.ts";
import type { Fault } from "./places.ts";
import { probeAround } from "./probes.ts";
import { isProgram, type Numbered, withSwitches } from "./switches.ts";

/** The switches of all files. */
export interface Switches {
  /** The numbers of the faults. Those of code that runs while its file loads have none. */
  readonly ids: ReadonlyMap<Fault, number>;
  /** The place of the probe around a fault in its file. Code outside of functions has none. */
  readonly probes: ReadonlyMap<Fault, number>;
  /** The sources with switches and probes. */
  readonly sources: ReadonlyMap<string, string>;
}

/** Gives faults their switches, and every file its probes. */
export async function switchesFor(
  faults: readonly Fault[],
  root: string,
  layout: Layout,
): Promise<Switches> {
  const ids = new Map<Fault, number>();
  const probes = new Map<Fault, number>();
  const sources = new Map<string, string>();
  const byFile = Map.groupBy(faults, (fault) => fault.file);
  let next = 0;
  for (const [file, ofFile] of layout) {
    const source = await Deno.readTextFile(join(root, file));
    const wanted = byFile.get(file) ?? [];
    const numbered = wanted.flatMap((fault): Numbered[] => {
      const { host } = fault;
      return host === undefined ? [] : [{ id: next++, fault: { ...fault, host } }];
    });
    const text = withSwitches(source, numbered, ofFile);
    const isValid = numbered.length === 0 || isProgram(text);
    sources.set(file, isValid ? text : withSwitches(source, [], ofFile));
    if (!isValid) continue;
    let at = 0;
    for (const fault of wanted) {
      const probe = probeAround(ofFile.probes, fault.host ?? fault);
      if (probe !== undefined) probes.set(fault, probe);
      if (fault.host) ids.set(fault, numbered[at++]?.id ?? 0);
    }
  }
  return { ids, probes, sources };
}
