/**
 * The limits of populations.
 *
 * @module
 */

/** The most customers of one population. */
export const MOST_CUSTOMERS = 100_000;

/** The most months of a population's past. */
export const MOST_MONTHS = 60;
