/**
 * Reading YAML into a tree with places. Files may come from others, so their size, their depth and
 * what their aliases expand to are limited.
 *
 * @module
 */

import type * as Yaml from "yaml";
import type { Entry, Node, Position, Problem, Route } from "../values/tree.ts";

/** The largest file that is read, in bytes. */
export const LARGEST_FILE = 1_048_576;

/** The most values that a file may have, counted after its aliases are expanded. */
export const MOST_VALUES = 50_000;

/** The most levels of maps and lists in each other. */
const DEEPEST = 40;

/** A file that was read. */
interface Tree {
  /** The top of the tree; undefined where the file has none. */
  readonly root: Node | undefined;
  /** What is wrong with the file. */
  readonly problems: readonly Problem[];
}

/** The end of reading: the file is too large or too deep. */
class TooMuch extends Error {
  /** What to say of it. */
  readonly problem: Problem;

  /** Builds the error from a problem. */
  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** What reading needs. */
interface Reader {
  /** The package. */
  yaml: typeof Yaml;
  /** Finds lines and columns. */
  lines: Yaml.LineCounter;
  /** The document, in which aliases are looked up. */
  document: Yaml.Document;
  /** How many values there were. */
  count: number;
  /** What is wrong. */
  problems: Problem[];
}

/** Reads the YAML of a file. */
export async function readTree(text: string): Promise<Tree> {
  const yaml = await import("yaml");
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    schema: "core",
  });
  // The parser only warns of a tag that it does not know.
  const all = [...document.errors, ...document.warnings];
  // What is too deep fails at every level; the first of them says it.
  const deep = all.find(({ code }) => code === "RESOURCE_EXHAUSTION");
  // A tab makes the parser misread the rest of its line.
  const lineOf = (error: Yaml.YAMLError) => placeOf(lines, error.pos[0]).line;
  const tabs = all.filter(({ code }) => code === "TAB_AS_INDENT");
  const wrong = deep ? [deep] : all.filter((one) => {
    const tab = tabs.find((other) => lineOf(other) === lineOf(one));
    return tab === undefined || tab === one;
  });
  const problems: Problem[] = wrong.map(({ pos, code, message }) => ({
    ...placeOf(lines, pos[0]),
    message: MESSAGES[code] ?? lowerFirst(message.split("\n")[0] ?? message),
  }));
  if (problems.length > 0) return { root: undefined, problems };
  const reader: Reader = { yaml, lines, document, count: 0, problems };
  try {
    const { contents } = document;
    const root = contents === null ? undefined : nodeOf(contents, [], reader, undefined);
    return { root, problems };
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    return { root: undefined, problems: [...problems, error.problem] };
  }
}

/** What is wrong with a file that is too deep. */
const TOO_DEEP = `more than ${DEEPEST} maps and lists stand in each other`;

/** What is wrong with a key that a map has already. */
const DUPLICATE_KEY = "the key is there twice";

/** Our words for what the parser finds most. */
const MESSAGES: Readonly<Record<string, string>> = {
  DUPLICATE_KEY,
  TAB_AS_INDENT: "a tab stands at the beginning of a line; YAML takes spaces only",
  RESOURCE_EXHAUSTION: TOO_DEEP,
  TAG_RESOLVE_FAILED: "a scenario takes no YAML tags such as !name; remove the tag",
  MULTIPLE_DOCS: "a second document begins here; one file holds one scenario",
};

/** Turns a value of the parser into ours. */
function nodeOf(value: unknown, route: Route, reader: Reader, from: Position | undefined): Node {
  const { yaml, lines, document } = reader;
  const start = yaml.isNode(value) ? value.range?.[0] ?? 0 : 0;
  // What an alias stands for is reported where the alias stands.
  const at = from ?? placeOf(lines, start);
  if (++reader.count > MOST_VALUES) {
    throw new TooMuch({ ...at, message: `the file expands to more than ${MOST_VALUES} values` });
  }
  if (route.length > DEEPEST) {
    throw new TooMuch({ ...at, message: TOO_DEEP });
  }
  if (yaml.isAlias(value)) {
    const target = value.resolve(document);
    if (target === undefined) {
      throw new TooMuch({ ...at, message: `there is no anchor &${value.source}` });
    }
    return nodeOf(target, route, reader, at);
  }
  if (yaml.isMap(value)) {
    return { kind: "map", at, route, entries: entriesOf(value, route, reader, from) };
  }
  if (yaml.isSeq(value)) {
    const items = value.items.map((item, i) => nodeOf(item, [...route, i], reader, from));
    return { kind: "list", at, route, items };
  }
  if (yaml.isScalar(value)) {
    const plain = value.value;
    const text = value.source ?? String(plain ?? "");
    const known = typeof plain === "string" || typeof plain === "number" ||
      typeof plain === "boolean" || plain === null;
    return { kind: "scalar", at, route, value: known ? plain : text, text };
  }
  return { kind: "scalar", at, route, value: null, text: "" };
}

/** The entries of a map. Keys are texts, as they are written. */
function entriesOf(
  map: Yaml.YAMLMap,
  route: Route,
  reader: Reader,
  from: Position | undefined,
): Entry[] {
  const entries: Entry[] = [];
  const names = new Set<string>();
  for (const { key, value } of map.items) {
    const node = nodeOf(key, route, reader, from);
    if (node.kind !== "scalar") {
      reader.problems.push({
        ...node.at,
        message: `${node.kind === "map" ? "a map" : "a list"} cannot be a key`,
      });
      continue;
    }
    const name = node.text;
    // The parser takes 1 and "1" for two keys.
    if (names.has(name)) {
      reader.problems.push({ ...node.at, message: DUPLICATE_KEY });
      continue;
    }
    names.add(name);
    const there = value ?? null;
    const inner = [...route, name];
    entries.push({
      key: name,
      at: node.at,
      value: there === null
        ? { kind: "scalar", at: node.at, route: inner, value: null, text: "" }
        : nodeOf(there, inner, reader, from),
    });
  }
  return entries;
}

function placeOf(lines: Yaml.LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
