/**
 * Where a fault can be switched on and off while the program runs: an expression or a statement that
 * holds it, inside of a function.
 *
 * @module
 */

import type { Node } from "@babel/types";

/** A part of a source that stands twice: as it is, and with a fault. */
export interface Host {
  /** Where it begins, in UTF-16 units. */
  readonly start: number;
  /** Where it ends. */
  readonly end: number;
  /** Whether it is a statement, and no expression. */
  readonly isStatement: boolean;
}

/** Statements that declare nothing and hold no others. */
const SIMPLE = new Set([
  "ExpressionStatement",
  "ReturnStatement",
  "ThrowStatement",
  "BreakStatement",
  "ContinueStatement",
]);

/**
 * The host of a change to a node; undefined for code that runs while its file loads, since a switch
 * would come too late for it. `path` has the node last, and its ancestors before it.
 */
export function hostOf(path: readonly Node[], start: number, end: number): Host | undefined {
  if (!path.some(isFunction)) return undefined;
  for (let at = path.length - 1; at >= 0; at--) {
    const node = path[at];
    if (node === undefined || isFunction(node)) return undefined;
    const place = { start: node.start ?? 0, end: node.end ?? 0 };
    const parent = path[at - 1];
    if (place.start > start || place.end < end) continue;
    if (isChained(node, parent) || isTagged(node, parent)) continue;
    const isStatement = SIMPLE.has(node.type);
    if (isStatement || isExpression(node)) return { ...place, isStatement };
  }
  return undefined;
}

/** Whether the code of a node runs only when it is called. */
function isFunction({ type }: Node): boolean {
  return type === "ObjectMethod" || type === "ClassMethod" || /Function(Decl|Expr)/.test(type);
}

/** Whether a node has a value, and can stand in parentheses. A place to write to cannot. */
function isExpression({ type }: Node): boolean {
  return /(Expression|Literal)$/.test(type) && type !== "MemberExpression";
}

/** Whether a node is a part of `a?.b.c()`, which parentheses would cut. */
function isChained(node: Node, parent: Node | undefined): boolean {
  if (parent?.type === "OptionalMemberExpression") return parent.object === node;
  return parent?.type === "OptionalCallExpression" && parent.callee === node;
}

/** Whether a node is the text of a template with a tag, which would get parentheses as its argument. */
function isTagged(node: Node, parent: Node | undefined): boolean {
  return parent?.type === "TaggedTemplateExpression" && parent.quasi === node;
}
