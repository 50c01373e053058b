/**
 * Faults in SQL that is written out: a condition on the project that holds for every row.
 *
 * @module
 */

/** A part of a text with its replacement. */
export interface Replaced {
  /** Where it begins in the text. */
  readonly start: number;
  /** Where it ends. */
  readonly end: number;
  /** The replacement. */
  readonly after: string;
}

/** The column that says which project a row belongs to, with its table if the SQL names one. */
const COLUMN = String.raw`(?:"?\b\w+"?\.|(?<![\w"])\.)?"?\bproject_id\b"?|\bprojects"?\."?id\b"?`;

/** What stands before the values that the project must be among. No query is among them. */
const IN = String.raw`\s+in\s*\((?!\s*select\b)`;

/** A condition on the project, up to the value that the column is compared with. */
const CONDITION = new RegExp(String.raw`(?:${COLUMN})(?:\s*=(?!=)\s*|(${IN}))`, "gi");

/** The project in what rows are grouped by, with others after it. */
const GROUP = /(\bgroup by )(?:\w+\.)?project_id, /gi;

/**
 * The conditions on the project in a text, each replaced by one that is always true. It takes the same
 * parameters: no project's id is empty.
 */
export function conditionsIn(text: string): Replaced[] {
  const conditions = [...text.matchAll(CONDITION)].map(({ index, 0: all, 1: list }) => ({
    start: index,
    end: index + all.length,
    after: list === undefined ? "'' <> " : "'' not in (",
  }));
  const groups = [...text.matchAll(GROUP)].map(({ index, 0: all, 1: words = "" }) => ({
    start: index,
    end: index + all.length,
    after: words,
  }));
  return [...conditions, ...groups];
}
