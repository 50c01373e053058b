/**
 * How long the database's log may become.
 *
 * @module
 */

/** The length to which SQLite cuts the log when it starts afresh, in bytes. */
export const USUAL_LOG = 16 * 1024 * 1024;

/** Pages in the log from which on a commit copies them into the database. SQLite's own default. */
export const USUAL_CHECKPOINT = 1000;

/** The length from which on a message says that another program keeps the log, in bytes. */
export const LARGEST_LOG = 64 * 1024 * 1024;

/**
 * The pages in the log, 4 KiB each, from which on they are copied while many writes follow each other.
 * Pages that each of them changes are then copied once for all. After that the log is short again.
 */
export const LATE_CHECKPOINT = LARGEST_LOG / 4096;
