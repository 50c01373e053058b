/**
 * The version of this library and of the client built on it.
 *
 * @module
 */

/** The version, as in `CHANGES.md` and in the `User-Agent` of every request. */
export const VERSION = "0.1.0";
