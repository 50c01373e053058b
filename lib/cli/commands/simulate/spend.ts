/**
 * `cli simulate spend`: subtracts from a balance of a virtual currency.
 *
 * @module
 */

import { change } from "./currency.ts";

/** Spends a customer's virtual currency. */
export const spend = change("Spend a customer's virtual currency", "Spent", -1);
