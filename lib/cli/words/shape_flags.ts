/**
 * The global flags for the format of data.
 *
 * @module
 */

import { FORMATS, type Shape } from "../data/shape.ts";
import { UsageError } from "../../errors.ts";

/** The hint for `--output`. */
export const FORMAT_HINT = `Pass one of: ${
  FORMATS.map((format) => `--output ${format}`).join(", ")
}`;

/** Reads `--output`, `--fields`, `--jq` and `-r`. */
export function readShape(given: ReadonlyMap<string, string>, raw: boolean): Shape | UsageError {
  const asked = given.get("output") || "table";
  const output = FORMATS.find((one) => one === asked);
  const jq = given.get("jq") || undefined;
  if (!output) {
    const shown = JSON.stringify(asked);
    return new UsageError(`Cannot print as ${shown}: there is no such format`, {
      hint: FORMAT_HINT,
    });
  }
  if (raw && jq === undefined) {
    return new UsageError("Cannot use -r: it needs --jq", { hint: "Pass --jq PROGRAM." });
  }
  if (jq !== undefined && output === "csv") {
    return new UsageError("Cannot print as CSV: jq prints its results itself", {
      hint: "Leave --output out, and let the program make CSV: --jq '… | @csv' -r",
    });
  }
  const fields = readFields(given.get("fields"));
  return fields instanceof UsageError ? fields : { output, fields, jq, raw };
}

/** Reads `--fields`. */
function readFields(names: string | undefined): Shape["fields"] | UsageError {
  if (names === undefined) return undefined;
  if (names === "") return "list";
  const fields = names.split(",").map((name) => name.trim());
  if (fields.every((name) => name !== "")) return [...new Set(fields)];
  return new UsageError(`Cannot use ${JSON.stringify(names)} for --fields: a name is empty`, {
    hint: "Separate names by commas: --fields id,name. Alone, --fields lists them.",
  });
}

/** The seconds between two updates for `--watch` without a value. */
const USUAL_WATCH_S = 2;

/** The longest time between two updates, in seconds. */
const LONGEST_WATCH_S = 86_400;

/** Reads `--watch` as milliseconds. */
export function readWatch(value: string | undefined): number | UsageError | undefined {
  if (value === undefined) return undefined;
  if (value === "") return USUAL_WATCH_S * 1000;
  const seconds = Number(/^(\d+)s?$/.exec(value)?.[1] ?? NaN);
  if (seconds >= 1 && seconds <= LONGEST_WATCH_S) return seconds * 1000;
  const why = Number.isNaN(seconds)
    ? "it is not a number of seconds"
    : `it must be between 1 and ${LONGEST_WATCH_S} seconds`;
  return new UsageError(
    `Cannot use ${JSON.stringify(value)} for --watch: ${why}`,
    {
      hint: `Pass seconds, 1 to ${LONGEST_WATCH_S}: --watch 5`,
    },
  );
}
