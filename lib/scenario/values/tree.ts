/**
 * The tree of a scenario file: its values, each with the line and column where it stands.
 *
 * @module
 */

/** A position in a file. The first line and column are 1. */
export interface Position {
  /** The line. */
  readonly line: number;
  /** The column. */
  readonly column: number;
}

/** The keys and indexes that lead from the top of a file to a value. */
export type Route = readonly (string | number)[];

/** What every value has. */
interface Stands {
  /** Where it stands. */
  readonly at: Position;
  /** The keys and indexes that lead to it. */
  readonly route: Route;
}

/** A text, number, truth value or null. */
export interface ScalarNode extends Stands {
  /** Which kind of value it is. */
  readonly kind: "scalar";
  /** The value. */
  readonly value: string | number | boolean | null;
  /** The value as it is written: `1.10` stays `1.10`. */
  readonly text: string;
}

/** A list. */
interface ListNode extends Stands {
  /** Which kind of value it is. */
  readonly kind: "list";
  /** Its items, in order. */
  readonly items: readonly Node[];
}

/** A key of a map with its value. */
export interface Entry {
  /** The key, as it is written. */
  readonly key: string;
  /** Where the key stands. */
  readonly at: Position;
  /** The value. */
  readonly value: Node;
}

/** A map. */
export interface MapNode extends Stands {
  /** Which kind of value it is. */
  readonly kind: "map";
  /** Its entries, in order. */
  readonly entries: readonly Entry[];
}

/** A value with its place. */
export type Node = ScalarNode | ListNode | MapNode;

/** Something that is wrong with a file. */
export interface Problem extends Position {
  /** What is wrong, as one sentence without a period. */
  readonly message: string;
  /** What to write instead, where that is known. */
  readonly hint?: string | undefined;
  /** The file that it is in, where that is another one than the scenario's. */
  readonly file?: string | undefined;
}

/** A value of JSON. */
export type Json = string | number | boolean | null | readonly Json[] | {
  readonly [key: string]: Json;
};

/** The value of an entry of a map, or undefined. */
export function entryOf(node: Node | undefined, key: string): Entry | undefined {
  return node?.kind === "map" ? node.entries.find((entry) => entry.key === key) : undefined;
}

/** What kind of value a node is, for messages. */
export function kindOf(node: Node): string {
  if (node.kind !== "scalar") return node.kind === "map" ? "a map" : "a list";
  if (node.value === null) return "nothing";
  return `${JSON.stringify(node.value)}`;
}

/** The plain value of a node. */
export function plain(node: Node): Json {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(plain);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, plain(value)]));
}
