/**
 * Which events are delivered, and in which order, as a scenario file says it.
 *
 * @module
 */

import { complain, type Kind, whole } from "../values/kinds.ts";
import type { Json, Node } from "../values/tree.ts";

/** The number of an event. */
const NUMBER = whole(1, 100_000);

/** The most deliveries of a step. */
const MOST = 1000;

const WHAT = "an event's number, a list of numbers such as [2, 1, 1], or lists side by side";

const LIST = { type: "array", items: NUMBER.schema, minItems: 1, maxItems: MOST };

/** Numbers of events: one, a list, or several lists that are delivered side by side. */
export const eventNumbers: Kind = {
  what: WHAT,
  schema: {
    anyOf: [NUMBER.schema, LIST, { type: "array", items: LIST, minItems: 1, maxItems: MOST }],
  },
  read(node, scope) {
    if (node.kind === "map") return complain(scope, node.at, `${WHAT} is needed here, not a map`);
    if (node.kind === "scalar") return NUMBER.read(node, scope);
    const lanes = node.items.filter(({ kind }) => kind === "list");
    if (node.items.length === 0) return complain(scope, node.at, "the list has no events");
    if (lanes.length > 0 && lanes.length < node.items.length) {
      const next = "Write [[1, 3], [2]].";
      return complain(scope, node.at, "the list has both numbers and lists", next);
    }
    if (countIn(node) > MOST) {
      return complain(scope, node.at, `the list has more than ${MOST} events`);
    }
    return node.items.map((item) => readLane(item, scope));
  },
};

/** Reads a number, or a list of numbers that is delivered beside others. */
function readLane(item: Node, scope: Parameters<Kind["read"]>[1]): Json {
  if (item.kind !== "list") return NUMBER.read(item, scope) ?? null;
  if (item.items.length === 0) complain(scope, item.at, "the list has no events");
  return item.items.map((one) => NUMBER.read(one, scope) ?? null);
}

function countIn(node: Node): number {
  return node.kind === "list" ? node.items.reduce((sum, item) => sum + countIn(item), 0) : 1;
}

/** The lists of numbers that are delivered side by side, each in its order. */
export function lanesIn(value: Json): number[][] {
  if (!Array.isArray(value)) return [[Number(value)]];
  const items: readonly Json[] = value;
  if (!items.some(Array.isArray)) return [items.map(Number)];
  return items.map((lane) => lanesIn(lane).flat());
}
