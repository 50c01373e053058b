/**
 * The mutations of a node of the syntax tree: likely mistakes of programmers.
 *
 * @module
 */

import type { Node, StringLiteral, TemplateLiteral } from "@babel/types";
import { conditionsIn } from "./project_conditions.ts";

/** One change to a source. */
export interface Change {
  /** The name of its kind. */
  kind: string;
  /** Its start, in UTF-16 units. */
  start: number;
  /** Where it ends. */
  end: number;
  /** The replacement. */
  after: string;
}

/** Operators, and their likely confusions. */
const OPERATORS: ReadonlyMap<string, readonly [kind: string, after: string]> = new Map([
  ["<", ["edge", "<="]],
  ["<=", ["edge", "<"]],
  [">", ["edge", ">="]],
  [">=", ["edge", ">"]],
  ["===", ["comparison", "!=="]],
  ["!==", ["comparison", "==="]],
  ["+", ["arithmetic", "-"]],
  ["-", ["arithmetic", "+"]],
  ["*", ["arithmetic", "/"]],
  ["/", ["arithmetic", "*"]],
  ["%", ["arithmetic", "*"]],
  ["&", ["arithmetic", "|"]],
  ["|", ["arithmetic", "&"]],
  ["&&", ["logic", "||"]],
  ["||", ["logic", "&&"]],
  ["+=", ["arithmetic", "-="]],
  ["-=", ["arithmetic", "+="]],
  ["??=", ["default", "="]],
  ["++", ["arithmetic", "--"]],
  ["--", ["arithmetic", "++"]],
]);

/** Functions, and their likely confusions. */
const TWINS: ReadonlyMap<string, string> = new Map([
  ["min", "max"],
  ["max", "min"],
  ["some", "every"],
  ["every", "some"],
  ["find", "findLast"],
  ["findLast", "find"],
  ["startsWith", "endsWith"],
  ["endsWith", "startsWith"],
  ["floor", "ceil"],
  ["ceil", "floor"],
]);

/** Words of SQL in texts, and their likely confusions. */
const SQL: ReadonlyMap<string, string> = new Map([
  ["=", "!="],
  ["!=", "="],
  ["<", "<="],
  ["<=", "<"],
  [">", ">="],
  [">=", ">"],
  ["is", "is not"],
  ["is not", "is"],
  ["in", "not in"],
  ["asc", "desc"],
  ["desc", "asc"],
]);

/**
 * Functions that return a changed copy of their object: without the call, the types still match.
 */
const STEPS = new Set(
  ("where whereRef and on onRef orderBy limit offset having groupBy distinct filter sort toSorted " +
    "reverse toReversed slice trim trimEnd trimStart toLowerCase toUpperCase replace replaceAll " +
    "padStart padEnd concat normalize min max refine strict catch finally leftJoin onConflict flat")
    .split(" "),
);

/** The mutations of a node with this parent. */
export function changesOf(node: Node, parent: Node | undefined, source: string): Change[] {
  switch (node.type) {
    case "BinaryExpression":
    case "LogicalExpression":
      return [...operator(node, node.left, node.operator, source), ...halves(node, source)];
    case "AssignmentExpression":
      return operator(node, node.left, node.operator, source);
    case "UpdateExpression":
      return swap(node, "arithmetic", node.operator, OPERATORS.get(node.operator)?.[1], source);
    case "UnaryExpression":
      return node.operator === "!" ? [put(node, "not", `(${textOf(node.argument, source)})`)] : [];
    case "ConditionalExpression":
      return [node.consequent, node.alternate].map((one) =>
        put(node, "choice", `(${textOf(one, source)})`)
      );
    case "IfStatement":
      return ["true", "false"].map((after) => put(node.test, "condition", after));
    case "WhileStatement":
      return [put(node.test, "condition", "false")];
    case "BooleanLiteral":
      return [put(node, "truth", String(!node.value))];
    case "NumericLiteral":
      return isKey(node, parent) ? [] : [put(node, "number", otherNumber(node.value))];
    case "StringLiteral":
      return isName(node, parent) ? [] : [otherText(node, node.value), ...tenancyOf(node)];
    case "TemplateLiteral":
      return [
        ...parent?.type === "TaggedTemplateExpression" ? [] : [put(node, "text", "``")],
        ...tenancyIn(node, source),
      ];
    case "CallExpression":
    case "OptionalCallExpression":
      return callChanges(node.callee, node, source);
    case "ObjectExpression":
      return node.properties.map((one) => drop(one, "field", source));
    case "ArrayExpression":
      return node.elements.flatMap((one) => one ? [drop(one, "element", source)] : []);
    default:
      return statementChanges(node);
  }
}

/** Puts a text in place of a node. */
function put(node: Node, kind: string, after: string): Change {
  return { kind, start: startOf(node), end: endOf(node), after };
}

/** Another operator between a node's halves. */
function operator(node: Node, left: Node, sign: string, source: string): Change[] {
  const [kind, after] = OPERATORS.get(sign) ?? [];
  if (kind === undefined || after === undefined) return [];
  const start = source.indexOf(sign, endOf(left));
  return start < 0 || start >= endOf(node)
    ? []
    : [{ kind, start, end: start + sign.length, after }];
}

/** One half of `a ?? b` alone. */
function halves(node: Node, source: string): Change[] {
  if (node.type !== "LogicalExpression" || node.operator !== "??") return [];
  return [node.left, node.right].map((one) => put(node, "default", `(${textOf(one, source)})`));
}

/** Another text for a node. */
function swap(
  node: Node,
  kind: string,
  before: string,
  after: string | undefined,
  source: string,
): Change[] {
  const at = source.indexOf(before, startOf(node));
  return after === undefined || at < 0 || at >= endOf(node)
    ? []
    : [{ kind, start: at, end: at + before.length, after }];
}

/** Changes to a call: a step of a chain left out, or the twin of its function. */
function callChanges(callee: Node, node: Node, source: string): Change[] {
  if (callee.type !== "MemberExpression" && callee.type !== "OptionalMemberExpression") return [];
  if (callee.property.type !== "Identifier") return [];
  const { object, property } = callee;
  const twin = TWINS.get(property.name);
  const changes = twin === undefined ? [] : [put(property, "twin", twin)];
  if (!STEPS.has(property.name) || object.type === "Super" || isType(object)) return changes;
  const end = endOf(object);
  const start = end + source.slice(end, endOf(property)).search(/\??\./);
  return [...changes, { kind: "step", start, end: endOf(node), after: "" }];
}

/** Whether a name is of a type, such as `Math`, and not of a value. */
function isType(node: Node): boolean {
  return node.type === "Identifier" && /^[A-Z]/.test(node.name);
}

/** Changes to a statement: it is left out. */
function statementChanges(node: Node): Change[] {
  switch (node.type) {
    case "ExpressionStatement":
      return [put(node, "call", ";")];
    case "ContinueStatement":
    case "BreakStatement":
    case "ThrowStatement":
      return [put(node, "stop", ";")];
    case "ReturnStatement":
      return [put(node, "stop", ";")];
    default:
      return [];
  }
}

/** A part of a list left out, with the comma after it. */
function drop(node: Node, kind: string, source: string): Change {
  const end = endOf(node);
  const comma = /^\s*,/.exec(source.slice(end, end + 200));
  return { kind, start: startOf(node), end: end + (comma?.[0].length ?? 0), after: "" };
}

/** A number that is not this one: near for a count, far for a limit. */
function otherNumber(value: number): string {
  return String(Number.isInteger(value) && value < 1000 ? value + 1 : value * 2);
}

/** A text that is not this one. */
function otherText(node: Node, value: string): Change {
  const sql = SQL.get(value);
  if (sql !== undefined) return put(node, "query", JSON.stringify(sql));
  return put(node, "text", value === "" ? '"?"' : '""');
}

/** A text of SQL without one of its conditions on the project. */
function tenancyOf(node: StringLiteral): Change[] {
  const { value } = node;
  return conditionsIn(value).map(({ start, end, after }) =>
    put(node, "tenancy", JSON.stringify(value.slice(0, start) + after + value.slice(end)))
  );
}

/** A template of SQL without one of its conditions on the project. */
function tenancyIn({ quasis }: TemplateLiteral, source: string): Change[] {
  return quasis.flatMap((part, i) => {
    const from = startOf(part);
    return conditionsIn(textOf(part, source)).map(({ start, end, after }) => {
      const before = quasis[i - 1];
      // The name of the table may be a value: `${table}."project_id" = ?`.
      const isNamed = start === 0 && source[from] === "." && before !== undefined;
      return {
        kind: "tenancy",
        start: isNamed ? endOf(before) : from + start,
        end: from + end,
        after,
      };
    });
  });
}

/** Whether a literal is a key of an object. */
function isKey(node: Node, parent: Node | undefined): boolean {
  return parent?.type === "ObjectProperty" && parent.key === node && !parent.computed;
}

/** Whether a text is a key, or the name of a module. */
function isName(node: Node, parent: Node | undefined): boolean {
  return isKey(node, parent) || parent?.type === "ImportExpression" ||
    parent?.type === "ExportNamedDeclaration" || parent?.type === "ImportAttribute";
}

/** The source of a node. */
function textOf(node: Node, source: string): string {
  return source.slice(startOf(node), endOf(node));
}

/** Where a node begins. */
function startOf(node: Node): number {
  return node.start ?? 0;
}

/** Where a node ends. */
function endOf(node: Node): number {
  return node.end ?? 0;
}
