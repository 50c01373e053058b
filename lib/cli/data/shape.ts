/**
 * The shape in which people ask for data: its format, its fields, and a jq program.
 *
 * @module
 */

/** The formats that `--output` takes. */
export const FORMATS = ["table", "json", "csv", "ndjson"] as const;

/** How data is printed. */
type OutputFormat = typeof FORMATS[number];

/** What the flags say about the shape of data. */
export interface Shape {
  /** `--output`: the format. */
  output: OutputFormat;
  /** `--fields`: the fields to show, or `list` where it stands alone: then their names are shown. */
  fields?: readonly string[] | "list" | undefined;
  /** `--jq`: a jq program for the JSON. */
  jq?: string | undefined;
  /** `-r`: whether jq prints strings without quotes. */
  raw?: boolean | undefined;
}

/** Whether data is printed in another way than a command does it itself. */
export function isShaped({ output, fields, jq }: Shape): boolean {
  return output === "csv" || output === "ndjson" || fields !== undefined || jq !== undefined;
}

/** Whether errors are printed as JSON. */
export function isJson({ output }: Shape): boolean {
  return output === "json" || output === "ndjson";
}
