/**
 * A proposal of completion.
 *
 * @module
 */

/** Something that may be typed. */
export interface Proposal {
  /** The whole word. */
  value: string;
  /** Its meaning, or an empty text. */
  meaning: string;
}

/** Stands for the names of files: the shell completes them itself. */
export const FILES: Proposal = { value: ":files", meaning: "" };
