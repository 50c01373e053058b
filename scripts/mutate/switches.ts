/**
 * Many faults in one source, each behind a switch: a process that has loaded the product once can try
 * all of them.
 *
 * @module
 */

import { parse } from "@babel/parser";
import type { Host } from "./hosts.ts";
import { type Fault, withFault } from "./places.ts";

/** The function that switches call: whether the fault with a number is on. */
export const SWITCH = "__isFaultOn";

/** A fault with its number. */
export interface Numbered {
  /** Its number, in all files. */
  readonly id: number;
  /** The fault. It has a host. */
  readonly fault: Fault & { readonly host: Host };
}

/** A host with all its faults. */
interface Group {
  /** The host. */
  readonly host: Host;
  /** Its faults. */
  readonly faults: Numbered[];
}

/** Without a runner every fault is off. */
const DEFINITION = `const ${SWITCH} = globalThis.${SWITCH} ?? (() => false); `;

/**
 * A source with a switch for each fault. Undefined when the result is no valid program.
 */
export function withSwitches(source: string, faults: readonly Numbered[]): string | undefined {
  const groups = new Map<string, Group>();
  for (const one of faults) {
    const { host } = one.fault;
    const key = `${host.start} ${host.end} ${host.isStatement}`;
    const group = groups.get(key) ?? { host, faults: [] };
    group.faults.push(one);
    groups.set(key, group);
  }
  // Outer hosts come before those in them.
  const sorted = [...groups.values()].sort((a, b) =>
    a.host.start - b.host.start || b.host.end - a.host.end ||
    Number(b.host.isStatement) - Number(a.host.isStatement)
  );
  const first = /^#!.*\n/.exec(source)?.[0] ?? "";
  const text = first + DEFINITION + render(source, first.length, source.length, sorted);
  try {
    parse(text, { sourceType: "module", plugins: ["typescript", "deferredImportEvaluation"] });
    return text;
  } catch {
    return undefined;
  }
}

/** A part of a source with the switches of the groups in it. */
function render(source: string, start: number, end: number, groups: readonly Group[]): string {
  let [text, at] = ["", start];
  for (let i = 0; i < groups.length; i++) {
    const group = groups[i];
    if (group === undefined) break;
    const { host, faults } = group;
    let last = i + 1;
    while (last < groups.length && (groups[last]?.host.start ?? 0) < host.end) last++;
    const inner = render(source, host.start, host.end, groups.slice(i + 1, last));
    const before = source.slice(at, host.start);
    text += before +
      (host.isStatement ? statement(source, inner, faults) : expression(source, inner, faults));
    at = host.end;
    i = last - 1;
  }
  return text + source.slice(at, end);
}

/** A statement with its faults. */
function statement(source: string, inner: string, faults: readonly Numbered[]): string {
  const arms = faults.map((one) => `if (${SWITCH}(${one.id})) { ${faulty(source, one)} } else `);
  return `{ ${arms.join("")}{ ${inner} } }`;
}

/** An expression with its faults. */
function expression(source: string, inner: string, faults: readonly Numbered[]): string {
  const arms = faults.map((one) => `${SWITCH}(${one.id}) ? (${faulty(source, one)}) : `);
  return `(${arms.join("")}(${inner}))`;
}

/** The text of a host with its fault. */
function faulty(source: string, { fault }: Numbered): string {
  const { host } = fault;
  const rest = source.length - host.end;
  const text = withFault(source, fault);
  return text.slice(host.start, text.length - rest);
}
