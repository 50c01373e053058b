/**
 * `cli.toml`: the file that binds a repository to its project. It is written for people, contains
 * no secret and is meant to be committed.
 *
 * @module
 */

import { ConfigError } from "../errors.ts";
import { findUpward, readOptionalText } from "./files.ts";
import { isJsonObject, type JsonObject } from "./json.ts";
import { checkedApps, type TaggedApp } from "./local.ts";
import { optionalText } from "./stored_token.ts";
import type { Surroundings } from "./surroundings.ts";

/** The content of a `cli.toml`. */
interface CliToml {
  /** Where the file is. */
  path: string;
  /** The project that the folder belongs to. */
  project_id: string | undefined;
  /** The tagged apps of the folder. */
  apps: readonly TaggedApp[];
}

/** The new content of a `cli.toml`. */
interface CliTomlContent {
  /** The project that the folder belongs to. */
  project_id: string;
  /** The tagged apps of the folder. */
  apps: readonly TaggedApp[];
}

/**
 * The `cli.toml` of the working folder: the nearest one above.
 *
 * @throws {ConfigError} when it is malformed. It names the line and the column.
 */
export async function readCliToml(around: Surroundings): Promise<CliToml | undefined> {
  const path = await findUpward(around, "cli.toml");
  const text = path && await readOptionalText(path);
  if (!path || text === undefined) return undefined;
  const content = await parseToml(path, text);
  return {
    path,
    project_id: optionalText(content, "project_id", {
      path,
      field: "",
      hint: `Write it in ${path} as: project_id = "proj…"`,
    }),
    apps: checkedApps(content.apps, path) ?? [],
  };
}

/**
 * The text of a `cli.toml`. Given an existing text, it changes only the differences, so comments,
 * order and unknown fields stay. A text that is not TOML is replaced.
 */
export async function formatCliToml(
  present: string | undefined,
  content: CliTomlContent,
): Promise<string> {
  const toml = await loadToml();
  const old = present === undefined ? undefined : parsed(toml, present);
  if (present === undefined || !old) return newText(toml, merged({}, content));
  const wanted = merged(old, content);
  if (sameValue(old, wanted)) return present;
  const eol = present.includes("\r\n") ? "\r\n" : "\n";
  const edited = editedText(toml, present.split(/\r?\n/), old, content).join(eol);
  const result = parsed(toml, edited);
  // The edit supports the usual ways to write these keys. In other cases comments are lost.
  return result && sameValue(result, wanted) ? edited : newText(toml, wanted);
}

/** The part of the TOML library that is used here. */
interface Toml {
  /** Reads TOML. */
  parse(text: string, options: { integersAsBigInt: "asNeeded" }): JsonObject;
  /** Writes TOML. */
  stringify(value: JsonObject): string;
  /** What `parse` throws. */
  TomlError: new (...values: never[]) => Error & { line: number; column: number };
}

/** A large number elsewhere in the file must not make it unreadable. */
const INTEGERS = { integersAsBigInt: "asNeeded" } as const;

/** Loads the TOML library, which most runs do not need. */
async function loadToml(): Promise<Toml> {
  try {
    return await import("npm:smol-toml@1.9.1");
  } catch (cause) {
    throw new ConfigError("Cannot read or write cli.toml: its parser could not be downloaded", {
      hint: "Run this once with access to the npm registry, or set CLI_PROJECT_ID instead.",
      cause,
    });
  }
}

/**
 * Parses the text of a TOML file. Integers too large for a number come as `bigint`.
 *
 * @throws {ConfigError} when it is not TOML. It names the file, the line and the column.
 */
export async function parseToml(path: string, text: string): Promise<JsonObject> {
  const toml = await loadToml();
  try {
    return toml.parse(text, INTEGERS);
  } catch (error) {
    if (!(error instanceof toml.TomlError)) throw error;
    const why = error.message.split("\n")[0]?.replace(/^Invalid TOML document: /, "");
    const place = `line ${error.line}, column ${error.column}`;
    throw new ConfigError(`Cannot read ${JSON.stringify(path)}: ${why} at ${place}`, {
      hint: `Correct ${path}. Texts need quotes, such as: project_id = "proj…"`,
      cause: error,
    });
  }
}

/** Parses a text, or returns undefined when it is not TOML. */
function parsed(toml: Toml, text: string): JsonObject | undefined {
  try {
    return toml.parse(text, INTEGERS);
  } catch {
    return undefined;
  }
}

/** A whole text for people to read. */
function newText(toml: Toml, content: JsonObject): string {
  const { project_id, apps, ...unknown } = content;
  const blocks = [
    "# The project that this folder belongs to. Commit this file: it holds no secret.\n" +
    "# Written by: cli init\n",
    toml.stringify({ project_id, ...unknown }),
    ...listOf(apps).map((app) => appBlock(toml, app)),
  ];
  return blocks.map((block) => block.trim()).join("\n\n") + "\n";
}

/** The block of one app. */
function appBlock(toml: Toml, app: JsonObject): string {
  return toml.stringify({ apps: [app] });
}

/** The objects of a list, or none when a value is no list. */
function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** The new content of a file: new values, and everything else in the file and its apps. */
function merged(old: JsonObject, content: CliTomlContent): JsonObject {
  const apps = content.apps.map(({ id, name }) => {
    const before = listOf(old.apps).find((app) => app.id === id);
    return { ...before, id, ...name === undefined ? {} : { name } };
  });
  const { apps: _, ...others } = old;
  return { ...others, project_id: content.project_id, ...apps.length > 0 && { apps } };
}

/**
 * Whether two files have the same content. Order does not count, and missing apps equal an empty
 * list.
 */
function sameValue(a: JsonObject, b: JsonObject): boolean {
  return canonical(a) === canonical(b);
}

/** A text that is equal exactly for equal values. */
function canonical(value: JsonObject): string {
  return JSON.stringify(value, (key, part: unknown) => {
    if (typeof part === "bigint") return `bigint ${part}`;
    if (key === "apps" && Array.isArray(part) && part.length === 0) return undefined;
    if (key === "apps" && Array.isArray(part)) return part.map((app) => canonical({ app })).sort();
    if (!isJsonObject(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => a < b ? -1 : 1));
  });
}

/** Changes the lines of a file in place: the project's, and the blocks of apps. */
function editedText(
  toml: Toml,
  lines: readonly string[],
  old: JsonObject,
  content: CliTomlContent,
): string[] {
  const [top = [], ...tables] = blocksOf(lines);
  const present = listOf(old.apps);
  const missing = new Map(content.apps.map((app) => [app.id, app]));
  const result = [withValue(toml, top, "project_id", content.project_id)];
  let afterApps = 0;
  for (const table of tables) {
    if (!isAppBlock(table)) {
      result.push(table);
      continue;
    }
    const id = String(present.shift()?.id);
    const app = missing.get(id);
    if (!app) continue;
    missing.delete(id);
    result.push(app.name === undefined ? table : withValue(toml, table, "name", app.name));
    afterApps = result.length;
  }
  const added = [...missing.values()].map((app) => appBlock(toml, { ...app }).trim().split("\n"));
  const at = afterApps || result.length;
  const before = result.slice(0, at).flat();
  const after = result.slice(at).flat();
  if (added.length === 0) return trimmed([...before, ...after]).concat("");
  const blocks = added.flatMap((lines) => ["", ...lines]);
  return trimmed([...trimmed(before), ...blocks, "", ...after]).concat("");
}

const HEADER = /^\s*\[[^=]*\]\s*(?:#.*)?$/;
const APP_HEADER = /^\s*\[\[\s*["']?apps["']?\s*\]\]/;
const APP_TABLE = /^\s*\[\[?\s*["']?apps["']?\s*[.\]]/;

/**
 * Cuts lines into the part before the first table, and one block for each table: its header, its
 * content, and the comment right above it. The tables inside an app belong to the app's block.
 */
function blocksOf(lines: readonly string[]): string[][] {
  const blocks: string[][] = [[]];
  for (const line of lines) {
    const current = blocks.at(-1) ?? [];
    const inApp = isAppBlock(current) && APP_TABLE.test(line) && !APP_HEADER.test(line);
    if (!HEADER.test(line) || inApp) {
      current.push(line);
      continue;
    }
    let above = current.length;
    while (above > 0 && current[above - 1]?.trimStart().startsWith("#")) above--;
    // A comment at the start of the file belongs to the file, not to its first table.
    if (above === 0 && blocks.length === 1) above = current.length;
    blocks.push([...current.splice(above), line]);
  }
  return blocks;
}

/** Whether a block is one app's. */
function isAppBlock(block: readonly string[]): boolean {
  return block.some((line) => APP_HEADER.test(line));
}

/** A block with a key set to a value. A missing key is added after the others. */
function withValue(toml: Toml, block: readonly string[], key: string, value: string): string[] {
  const line = toml.stringify({ [key]: value }).trim();
  const pattern = new RegExp(
    `^(\\s*["']?${key}["']?\\s*=\\s*)("(?:[^"\\\\]|\\\\.)*"|'[^']*'|[^\\s#]*)(\\s*(?:#.*)?)$`,
  );
  const subtable = block.findIndex((text, i) => i > block.findIndex(isHeader) && isHeader(text));
  const own = subtable < 0 || block.length === 0 ? block.length : subtable;
  const at = block.findIndex((text, i) => i < own && pattern.test(text));
  if (at >= 0) {
    const literal = line.slice(line.indexOf("=") + 1).trim();
    return block.map((text, i) =>
      i === at ? text.replace(pattern, (_, start, _old, end) => start + literal + end) : text
    );
  }
  let end = own;
  while (end > 0 && block[end - 1]?.trim() === "") end--;
  return [...block.slice(0, end), line, ...block.slice(end)];
}

/** Whether a line is a table's header. */
function isHeader(line: string): boolean {
  return HEADER.test(line);
}

/** Lines without the empty ones at the start and the end. */
function trimmed(lines: readonly string[]): string[] {
  const isText = (line: string) => line.trim() !== "";
  const first = lines.findIndex(isText);
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex(isText) + 1);
}
