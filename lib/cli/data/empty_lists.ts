/**
 * The fields of empty lists, from the service's own documents.
 *
 * @module
 */

import { FORMS, LIST_ROWS } from "./list_rows.ts";

/** A possible row of a list, as JSON. Its values have no meaning. */
export interface LikelyRow {
  /** With the fields of every row. */
  readonly usual: string;
  /** With optional fields too. */
  readonly all: string;
}

/** Lists that this program makes itself, by the name of the array with their rows. */
const OWN_ROWS: Readonly<Record<string, string>> = {
  aliases: '{"name":0,"command":0}',
  profiles: '{"name":0,"active":0,"base_url":0,"token":0,"expires_at":0,"problem":0}',
};

/** A row of the list at an address, or of a list of this program, if known. */
export function likelyRow(list: string | undefined): LikelyRow | undefined {
  const form = list === undefined ? undefined : OWN_ROWS[list] ?? formAt(list);
  if (form === undefined) return undefined;
  return { usual: rowText(form, false), all: rowText(form, true) };
}

/** The form of the rows of the list at an address. */
function formAt(address: string): string | undefined {
  const own = URL.parse(address, "http://service")?.pathname.split("/") ?? [];
  const known = Object.entries(LIST_ROWS).find(([path]) => {
    const parts = path.split("/");
    return parts.length === own.length &&
      parts.every((part, i) => part.startsWith("{") ? own[i] !== "" : part === own[i]);
  });
  return known?.[1];
}

/** A row of a form. */
function rowText(form: string, withOptional: boolean): string {
  const rowOf = (form: unknown): unknown => {
    if (typeof form === "string") return rowOf(JSON.parse(FORMS[form] ?? "0"));
    if (Array.isArray(form)) {
      const [first, second] = form;
      if (first !== "list") return [rowOf(first)];
      return { object: "list", items: [rowOf(second)], next_page: 0, url: 0 };
    }
    if (typeof form !== "object" || form === null) return form;
    const members = Object.entries(form)
      .filter(([key]) => withOptional || !key.endsWith("?"))
      .map(([key, inner]) => [key.replace("?", ""), rowOf(inner)]);
    return Object.fromEntries(members);
  };
  return JSON.stringify(rowOf(JSON.parse(form)));
}
