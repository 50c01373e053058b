/**
 * A proposal of completion.
 *
 * @module
 */

/** Something that may be typed. */
export interface Proposal {
  /** The whole word. */
  value: string;
  /** What it means, or nothing. */
  meaning: string;
}
