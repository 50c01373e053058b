/**
 * Finds the places in a source that can be made faulty, by its syntax tree.
 *
 * @module
 */

import { parse } from "@babel/parser";
import { type Node, VISITOR_KEYS } from "@babel/types";
import { changesOf } from "./changes.ts";
import { type Host, hostOf } from "./hosts.ts";

/** One fault: a place in a file, and the replacement. */
export interface Fault {
  /** The path of the file in the repository, with forward slashes. */
  file: string;
  /** The line where the place begins, from 1. */
  line: number;
  /** That line, without the space around it. */
  text: string;
  /** Where the place begins in the file, in UTF-16 units. */
  start: number;
  /** Where it ends. */
  end: number;
  /** The name of the kind of change. */
  kind: string;
  /** Whether it is in a function: other files see only the types of its parameters and its result. */
  inner: boolean;
  /** The original text. */
  before: string;
  /** The replacement. */
  after: string;
  /** What can stand twice, with the fault and without; undefined for code that runs at once. */
  host?: Host | undefined;
}

/** Every fault that a source can be given, in the order of its places. */
export function faultsIn(file: string, source: string): Fault[] {
  const lines = source.split("\n");
  const tree = parse(source, {
    sourceType: "module",
    plugins: ["typescript", "deferredImportEvaluation"],
  });
  const faults: Fault[] = [];
  for (const { node, parent, inner, path } of nodesOf(tree, [], false)) {
    for (const { kind, start, end, after } of changesOf(node, parent, source)) {
      const before = source.slice(start, end);
      const line = source.slice(0, start).split("\n").length;
      const text = lines[line - 1]?.trim() ?? "";
      if (before === after) continue;
      const host = hostOf(path, start, end);
      faults.push({ file, line, text, start, end, kind, inner, before, after, host });
    }
  }
  return faults.sort((a, b) => a.start - b.start || a.end - b.end);
}

/** The source with a fault. */
export function withFault(source: string, { start, end, after }: Fault): string {
  return source.slice(0, start) + after + source.slice(end);
}

/** A node of the tree with its parent. */
interface Place {
  /** The node. */
  node: Node;
  /** Its parent; undefined for the whole file. */
  parent: Node | undefined;
  /** Whether it is in the body of a function. */
  inner: boolean;
  /** Its ancestors, the outermost first, and itself. */
  path: readonly Node[];
}

/** All nodes of code, without types, imports and re-exports. */
function* nodesOf(
  node: Node,
  ancestors: readonly Node[],
  isInner: boolean,
): Generator<Place, void, undefined> {
  if (makesNoCode(node)) return;
  const inner = isInner || node.type === "BlockStatement";
  const path = [...ancestors, node];
  yield { node, parent: ancestors.at(-1), inner, path };
  const children: Record<string, unknown> = { ...node };
  for (const key of VISITOR_KEYS[node.type] ?? []) {
    for (const child of [children[key]].flat()) {
      if (isNode(child)) yield* nodesOf(child, path, inner);
    }
  }
}

/** Whether nothing of a node is left when the types are taken out. */
function makesNoCode({ type }: Node): boolean {
  if (type === "TSAsExpression" || type === "TSSatisfiesExpression") return false;
  return type.startsWith("TS") || type === "ImportDeclaration" || type === "ExportAllDeclaration";
}

/** Whether a value in the tree is a node. */
function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value &&
    typeof value.type === "string" && value.type in VISITOR_KEYS;
}
