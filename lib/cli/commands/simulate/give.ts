/**
 * `cli simulate give`: adds to a balance of a virtual currency.
 *
 * @module
 */

import { change } from "./currency.ts";

/** Gives a customer virtual currency. */
export const give = change("Give a customer virtual currency", "Gave", 1);
