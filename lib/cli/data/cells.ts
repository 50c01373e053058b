/**
 * Values of JSON as cells of a table.
 *
 * @module
 */

import { elementsOf, formatJson } from "../screen/json_text.ts";
import type { Cell, Kind } from "../screen/table.ts";
import { isArray, isObject } from "./fields.ts";

/** The text of a value: a string without its quotes, nothing for null, else its JSON. */
export function plainText(value: string | undefined): string {
  if (value === undefined || value === "null") return "";
  if (value.startsWith('"')) return String(JSON.parse(value));
  return formatJson(value, 0);
}

/** Whether a value is a number. */
export function isNumber(value: string | undefined): boolean {
  return /^-?\d/.test(value ?? "");
}

/** A value for people: arrays with commas, yes and no, times as numbers for the table to format. */
export function cellOf(value: string | undefined, kind: Kind | undefined): Cell {
  if (value === "true" || value === "false") return value === "true";
  if (kind === "time" && isNumber(value)) return Number(value);
  if (value === undefined || !isArray(value)) return plainText(value);
  const elements = elementsOf(value);
  if (elements.some((element) => isObject(element) || isArray(element))) return plainText(value);
  return elements.map(plainText).join(", ");
}

/** The kind of a column of such values. */
export function kindOf(field: string, values: readonly (string | undefined)[]): Kind | undefined {
  if (/(^|[._])(at|date)$/.test(field)) return "time";
  if (/(^|[._])id$/.test(field)) return "id";
  const present = values.filter((value) => value !== undefined && value !== "null");
  return present.length > 0 && present.every(isNumber) ? "number" : undefined;
}
