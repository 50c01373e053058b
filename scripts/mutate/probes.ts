/**
 * Where a source notes that it runs: before each statement of a function, and before each value that
 * an arrow function returns. The places depend on the source alone, so a note stays valid as long as
 * the file does.
 *
 * @module
 */

import { parse } from "@babel/parser";
import { type Node, VISITOR_KEYS } from "@babel/types";

/** A part of a source that notes when it begins to run. */
export interface Probe {
  /** Where it begins, in UTF-16 units. */
  readonly start: number;
  /** Where it ends. */
  readonly end: number;
  /** A statement in a list, one that stands alone after a condition, or a value. */
  readonly kind: "listed" | "alone" | "value";
}

/** The array of notes in each source. */
export const PASSED = "__passed";

/** The parts of statements that hold a single statement. */
const BODIES = ["consequent", "alternate", "body"] as const;

/** The probes of a source in the order of their beginnings, those that hold others first. */
export function probesIn(source: string): Probe[] {
  const tree = parse(source, {
    sourceType: "module",
    plugins: ["typescript", "deferredImportEvaluation"],
  });
  const probes: Probe[] = [];
  visit(tree.program, false, probes);
  return probes.sort((a, b) => a.start - b.start || b.end - a.end);
}

/** Collects the probes in a node. */
function visit(node: Node, isInFunction: boolean, probes: Probe[]): void {
  if (isInFunction) probes.push(...probesOf(node));
  const parts: Record<string, unknown> = { ...node };
  for (const key of VISITOR_KEYS[node.type] ?? []) {
    const isBody = key === "body" && /Function|Method/.test(node.type);
    for (const child of [parts[key]].flat()) {
      if (!isNode(child)) continue;
      if (isBody && child.type !== "BlockStatement") probes.push(place(child, "value"));
      visit(child, isInFunction || isBody, probes);
    }
  }
}

/** The probes of a node's own statements. */
function probesOf(node: Node): Probe[] {
  if (node.type === "BlockStatement") return node.body.map((one) => place(one, "listed"));
  if (node.type === "SwitchCase") return node.consequent.map((one) => place(one, "listed"));
  if (!/^(If|While|DoWhile|For|ForIn|ForOf)Statement$/.test(node.type)) return [];
  const parts: Record<string, unknown> = { ...node };
  return BODIES.map((key) => parts[key]).filter(isNode)
    .filter(({ type }) => type !== "BlockStatement" && type !== "IfStatement")
    .map((one) => place(one, "alone"));
}

/** A probe at a node. */
function place({ start, end }: Node, kind: Probe["kind"]): Probe {
  return { start: start ?? 0, end: end ?? 0, kind };
}

/** Whether a value in the tree is a node of code. */
function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value &&
    typeof value.type === "string" && value.type in VISITOR_KEYS;
}

/** The place of the innermost probe around a part of its source; undefined when there is none. */
export function probeAround(
  probes: readonly Probe[],
  { start, end }: { readonly start: number; readonly end: number },
): number | undefined {
  const at = probes.findLastIndex((one) => one.start <= start && one.end >= end);
  return at < 0 ? undefined : at;
}

/** The text of a probe with its number. */
export function noting({ kind }: Probe, id: number, inner: string): string {
  if (kind === "value") return `(${PASSED}[${id}] = 1, ${inner})`;
  const text = `${PASSED}[${id}] = 1; ${inner}`;
  return kind === "alone" ? `{ ${text} }` : text;
}
