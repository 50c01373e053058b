/**
 * Many faults in one source, each behind a switch: a process that has loaded the product once can try
 * all of them.
 *
 * @module
 */

import { parse } from "@babel/parser";
import type { Host } from "./hosts.ts";
import { type Fault, withFault } from "./places.ts";
import { noting, PASSED, type Probe } from "./probes.ts";

/** The function that switches call: whether the fault with a number is on. */
export const SWITCH = "__isFaultOn";

/** A fault with its number. */
export interface Numbered {
  /** Its number, in all files. */
  readonly id: number;
  /** The fault. It has a host. */
  readonly fault: Fault & { readonly host: Host };
}

/** A part of a source that gets another text around it. */
interface Part {
  /** Where it begins. */
  readonly start: number;
  /** Where it ends. */
  readonly end: number;
  /** Parts of the same place: the lower one comes outside. */
  readonly depth: number;
  /** The new text, with the text of what is inside. */
  readonly wrap: (inner: string) => string;
}

/** Without a runner every fault is off, and nobody reads the notes. */
const DEFINITION = `const ${SWITCH} = globalThis.${SWITCH} ?? (() => false), ` +
  `${PASSED} = globalThis.${PASSED} ?? []; `;

/** A source with a switch for each fault, and with probes, whose numbers begin with `base`. */
export function withSwitches(
  source: string,
  faults: readonly Numbered[],
  { probes, base }: { probes: readonly Probe[]; base: number } = { probes: [], base: 0 },
): string {
  const hosts = Map.groupBy(
    faults,
    ({ fault: { host } }) => `${host.start} ${host.end} ${host.isStatement}`,
  );
  const parts = [
    ...probes.map((probe, i): Part => ({
      ...probe,
      depth: 0,
      wrap: (inner) => noting(probe, base + i, inner),
    })),
    ...[...hosts.values()].flatMap((ofHost): Part[] => {
      const host = ofHost[0]?.fault.host;
      if (host === undefined) return [];
      const form = host.isStatement ? statement : expression;
      return [{
        start: host.start,
        end: host.end,
        depth: host.isStatement ? 1 : 2,
        wrap: (inner) => form(source, inner, ofHost),
      }];
    }),
  ];
  // Outer parts come before those in them.
  parts.sort((a, b) => a.start - b.start || b.end - a.end || a.depth - b.depth);
  const first = /^#!.*\n/.exec(source)?.[0] ?? "";
  return first + DEFINITION + render(source, first.length, source.length, parts);
}

/** Whether a text is a valid program. */
export function isProgram(text: string): boolean {
  try {
    parse(text, { sourceType: "module", plugins: ["typescript", "deferredImportEvaluation"] });
    return true;
  } catch {
    return false;
  }
}

/** A stretch of a source with the parts in it. */
function render(source: string, start: number, end: number, parts: readonly Part[]): string {
  let [text, at] = ["", start];
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i];
    if (part === undefined) break;
    let last = i + 1;
    while (last < parts.length && (parts[last]?.start ?? 0) < part.end) last++;
    const inner = render(source, part.start, part.end, parts.slice(i + 1, last));
    text += source.slice(at, part.start) + part.wrap(inner);
    at = part.end;
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
