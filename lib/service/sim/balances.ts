/**
 * What an app does with a customer's virtual currencies: it gives and spends.
 *
 * @module
 */

import { adjust, adjustments, balanceSchema } from "../records/adjustments.ts";
import { pageOf } from "../contract/schemas.ts";
import { simRoute } from "./route.ts";

const changeBalances = simRoute({
  name: "changeBalances",
  summary: "Adds or spends a customer's virtual currencies, as the app's server does.",
  method: "POST",
  path: "/customers/{id}/currencies",
  body: adjustments,
  response: pageOf(balanceSchema),
}, (call) => adjust(call, call.params.id, true));

/** The route of balances. */
export const balanceRoutes = [changeBalances];
