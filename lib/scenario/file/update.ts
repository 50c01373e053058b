/**
 * Writing what happened in place of what was expected. The rest of the file stays as it is.
 *
 * @module
 */

import { withoutReferences } from "../values/references.ts";
import type { Json, Route } from "../values/tree.ts";

/** A value to write, and the keys and indexes that lead to its place. */
interface Update {
  /** The keys and indexes. */
  readonly route: Route;
  /** The value. */
  readonly value: Json;
}

/** The text of a file with other values in some places. Values behind an alias stay. */
export async function updateText(text: string, updates: readonly Update[]): Promise<string> {
  const yaml = await import("yaml");
  const document = yaml.parseDocument(text, { schema: "core" });
  const places = updates.flatMap(({ route, value }) => {
    const node = document.getIn(route, true);
    if (!yaml.isNode(node) || !node.range) return [];
    const [start, end] = node.range;
    const old = text.slice(start, end);
    const tail = old.slice(old.trimEnd().length);
    return [{ start, end, text: flow(value) + tail }];
  });
  places.sort((a, b) => b.start - a.start);
  return places.reduce(
    (whole, place) => whole.slice(0, place.start) + place.text + whole.slice(place.end),
    text,
  );
}

/** Words that YAML reads as something else than a text. */
const RESERVED = /^(true|false|null|yes|no|on|off|y|n|~)$/i;

/** A value of YAML on one line. */
export function flow(value: Json): string {
  if (typeof value === "string") {
    const escaped = withoutReferences(value);
    const isPlain = /^[A-Za-z_][\w.-]*$/.test(value) && !RESERVED.test(value);
    const isMoment = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value);
    return isPlain || isMoment ? value : JSON.stringify(escaped);
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(flow).join(", ")}]`;
  const entries = Object.entries(value);
  if (entries.length === 0) return "{}";
  return `{ ${entries.map(([key, one]) => `${flow(key)}: ${flow(one)}`).join(", ")} }`;
}
