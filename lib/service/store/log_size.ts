/**
 * How long the database's log may become.
 *
 * @module
 */

/** The length to which SQLite cuts the log when it starts afresh, in bytes. */
export const USUAL_LOG = 16 * 1024 * 1024;

/** The length from which on it is said that another program keeps the log, in bytes. */
export const LARGEST_LOG = 64 * 1024 * 1024;
