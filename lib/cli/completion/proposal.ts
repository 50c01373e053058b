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
