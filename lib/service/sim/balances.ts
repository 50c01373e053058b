/**
 * The actions of an app on a customer's virtual currencies: reading, giving and spending.
 *
 * @module
 */

import { adjust, adjustments, balanceListing, balanceSchema } from "../records/adjustments.ts";
import { findCustomer } from "../records/find.ts";
import { listPage } from "../records/lists.ts";
import { pageOf, pageQuery } from "../contract/schemas.ts";
import { simRoute } from "./route.ts";

const listBalances = simRoute({
  name: "listBalances",
  summary: "Lists a customer's balances of all virtual currencies, empty ones too.",
  method: "GET",
  path: "/customers/{id}/currencies",
  query: pageQuery,
  response: pageOf(balanceSchema),
}, async (call) => {
  const { id } = await findCustomer(call, call.params.id);
  return await listPage(call, balanceListing(call, id, true));
});

const changeBalances = simRoute({
  name: "changeBalances",
  summary: "Adds or spends a customer's virtual currencies, as the app's server does.",
  method: "POST",
  path: "/customers/{id}/currencies",
  body: adjustments,
  response: pageOf(balanceSchema),
}, (call) => adjust(call, call.params.id, true));

/** The routes of balances. */
export const balanceRoutes = [listBalances, changeBalances];
