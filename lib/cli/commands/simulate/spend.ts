/**
 * `cli simulate spend`: less of a virtual currency.
 *
 * @module
 */

import { change } from "./currency.ts";

/** Spends some of what a customer has. */
export const spend = change("Spend a customer's virtual currency", "Spent", -1);
