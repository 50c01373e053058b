/**
 * Series of numbers and their x axis, for every kind of picture.
 *
 * @module
 */

/** A series of numbers, one for each place on the x axis. */
export interface Series {
  /** Its name. */
  readonly name: string;
  /** The numbers; null where there is none. */
  readonly values: readonly (number | null)[];
  /** A note beside its name. */
  readonly note?: string | undefined;
}

/** A place on the x axis. */
export interface Place {
  /** Its label. */
  readonly label: string;
  /** A second label, if it differs from that of the place before. */
  readonly era?: string | undefined;
  /** Whether it is incomplete. */
  readonly open: boolean;
}
