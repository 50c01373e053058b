/**
 * Rows of a JSON document: the items of a list, or the document itself.
 *
 * @module
 */

import { elementsOf, valueText, withValue } from "../screen/json_text.ts";
import { isArray, isList } from "./fields.ts";

/** A document as rows. */
interface Rows {
  /** The text of each row. */
  readonly texts: readonly string[];
  /** Whether the document is one object, and not a list. */
  readonly isOne: boolean;
  /** The list: its address, or the name of the array with its rows. */
  readonly list: string | undefined;
  /** The document with other rows. */
  around(texts: readonly string[]): string;
}

/**
 * Splits a document into rows. `key` is the name of the array with its rows, if it is not `items`.
 */
export function rowsOf(document: string, key?: string): Rows {
  const text = document.trim();
  const array = (texts: readonly string[]) => `[${texts.join(",")}]`;
  if (isArray(text)) {
    return { texts: elementsOf(text), isOne: false, list: undefined, around: array };
  }
  const name = key ?? (isList(text) ? "items" : undefined);
  const rows = name === undefined ? undefined : valueText(text, name);
  if (name !== undefined && rows !== undefined && isArray(rows)) {
    return {
      texts: elementsOf(rows),
      isOne: false,
      list: addressIn(text) ?? name,
      around: (texts) => withValue(text, name, array(texts)),
    };
  }
  return { texts: [text], isOne: true, list: undefined, around: ([only = "null"]) => only };
}

/** The address of a list, from its `url`. */
function addressIn(text: string): string | undefined {
  const url = valueText(text, "url");
  return url?.startsWith('"') ? String(JSON.parse(url)) : undefined;
}
