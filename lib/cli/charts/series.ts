/**
 * Series of numbers and their x axis, for every kind of picture.
 *
 * @module
 */

/** A series of numbers, one for each point of the x axis. */
export interface Series {
  /** Its name. */
  readonly name: string;
  /** The numbers; null for a missing one. */
  readonly values: readonly (number | null)[];
  /** A note beside its name. */
  readonly note?: string | undefined;
}

/** A point of the x axis. */
export interface AxisPoint {
  /** Its label. */
  readonly label: string;
  /** A second label, if it differs from that of the point before. */
  readonly era?: string | undefined;
  /** Whether it is incomplete. */
  readonly open: boolean;
}
