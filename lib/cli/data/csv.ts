/**
 * CSV: comma-separated values with quotes where they are needed. The only file that knows the
 * package which writes them.
 *
 * @module
 */

import { stringify } from "csv-stringify/sync";
import { isNumber, plainText } from "./cells.ts";

/** A number, which no spreadsheet takes for a formula, whatever its sign. */
interface NumberCell {
  /** The number as the service wrote it. */
  digits: string;
}

/**
 * Lines of CSV. A text that begins like a formula (`=`, `+`, `-`, `@`, a tab or a carriage return)
 * gets an apostrophe before it, so that no spreadsheet runs it.
 */
export function csvLines(rows: readonly (readonly (string | undefined)[])[]): string {
  const cells = rows.map((row) =>
    row.map((value): string | NumberCell =>
      value !== undefined && isNumber(value) ? { digits: value } : plainText(value)
    )
  );
  return stringify(cells, {
    escape_formulas: true,
    quoted_match: /^[\r\n]|[\r\n]/,
    cast: { object: ({ digits }) => ({ value: String(digits), escape_formulas: false }) },
  });
}
