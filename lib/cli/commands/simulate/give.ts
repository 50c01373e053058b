/**
 * `cli simulate give`: more of a virtual currency.
 *
 * @module
 */

import { change } from "./currency.ts";

/** Gives a customer some of a virtual currency. */
export const give = change("Give a customer virtual currency", "Gave", 1);
