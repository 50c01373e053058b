/**
 * Series of numbers and the x axis below them, as every kind of picture takes them.
 *
 * @module
 */

/** A series of numbers, one for each place on the x axis. */
export interface Series {
  /** Its name. */
  readonly name: string;
  /** The numbers; null where there is none. */
  readonly values: readonly (number | null)[];
  /** What is said about it beside its name. */
  readonly note?: string | undefined;
}

/** A place on the x axis. */
export interface Place {
  /** What stands below it. */
  readonly label: string;
  /** What stands below that, where it is another than at the place before. */
  readonly era?: string | undefined;
  /** Whether it is not over yet. */
  readonly open: boolean;
}
