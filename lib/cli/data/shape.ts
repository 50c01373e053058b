/**
 * The requested shape of data: its format, its fields, and a jq program.
 *
 * @module
 */

/** The formats of `--output`. */
export const FORMATS = ["table", "json", "csv", "ndjson"] as const;

/** The format of data. */
type OutputFormat = typeof FORMATS[number];

/** The flags for the shape of data. */
export interface Shape {
  /** `--output`: the format. */
  output: OutputFormat;
  /** `--fields`: the fields to show, or `list` without a value: then it lists their names. */
  fields?: readonly string[] | "list" | undefined;
  /** `--jq`: a jq program for the JSON. */
  jq?: string | undefined;
  /** `-r`: whether jq prints strings without quotes. */
  raw?: boolean | undefined;
}

/** Whether the output differs from the command's own. */
export function isShaped({ output, fields, jq }: Shape): boolean {
  return output === "csv" || output === "ndjson" || fields !== undefined || jq !== undefined;
}

/** Whether errors are printed as JSON. */
export function isJson({ output }: Shape): boolean {
  return output === "json" || output === "ndjson";
}
