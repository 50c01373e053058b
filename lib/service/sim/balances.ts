/**
 * What an app does with a customer's virtual currencies: it gives and spends.
 *
 * @module
 */

import { adjust, adjustments } from "../records/adjustments.ts";
import { simRoute } from "./route.ts";

const changeBalances = simRoute({
  summary: "Gives a customer virtual currencies or spends them, as the app's own server does.",
  method: "POST",
  path: "/customers/{id}/currencies",
  body: adjustments,
}, (call) => adjust(call, call.params.id, true));

/** The route of balances. */
export const balanceRoutes = [changeBalances];
