/**
 * CSV: comma-separated values, quoted if needed. Only this file uses the package for CSV.
 *
 * @module
 */

import { stringify } from "csv-stringify/sync";
import { isNumber, plainText } from "./cells.ts";

/** A number. No spreadsheet reads it as a formula, with any sign. */
interface NumberCell {
  /** The number in the service's spelling. */
  digits: string;
}

/**
 * Lines of CSV. A text that begins like a formula (with `=`, `+`, `-`, `@`, a tab or a carriage
 * return) gets an apostrophe in front, so that no spreadsheet runs it.
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
