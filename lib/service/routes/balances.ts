/**
 * Customers' balances of virtual currencies. The specification has no such operations, and one of
 * their paths must answer 404, so only the public dialect has them.
 *
 * @module
 */

import { z } from "zod";
import { type AuditEntry, type Call, route } from "../contract/route.ts";
import { pageOf, pageQuery } from "../contract/schemas.ts";
import { adjust, adjustments, balanceListing, balanceSchema } from "../records/adjustments.ts";
import { findCustomer } from "../records/find.ts";
import { listPage } from "../records/lists.ts";

const READ = "customer_information:customers:read";
const WRITE = "customer_information:customers:read_write";

const listCustomerBalances = route({
  name: "listCustomerBalances",
  summary: "Lists a customer's virtual currency balances. Empty balances are optional.",
  method: "GET",
  path: "/customers/{id}/virtual_currencies",
  scope: READ,
  query: pageQuery.extend({ include_empty_balances: z.enum(["true", "false"]).default("false") }),
  response: pageOf(balanceSchema),
}, async (call) => {
  const { id } = await findCustomer(call, call.params.id);
  const all = call.query.include_empty_balances === "true";
  return await listPage(call, balanceListing(call, id, all));
});

const createBalanceTransaction = route({
  name: "createBalanceTransaction",
  summary: "Adds to or subtracts from a customer's balances, and records a transaction.",
  method: "POST",
  path: "/customers/{id}/virtual_currencies/transactions",
  scope: WRITE,
  body: adjustments,
  response: pageOf(balanceSchema),
  audit,
}, (call) => adjust(call, call.params.id, true));

const updateBalance = route({
  name: "updateBalance",
  summary: "Adds to or subtracts from a customer's balances, without recording a transaction.",
  method: "POST",
  path: "/customers/{id}/virtual_currencies/update_balance",
  scope: WRITE,
  body: adjustments,
  response: pageOf(balanceSchema),
  audit,
}, (call) => adjust(call, call.params.id, false));

/** The routes of balances, for the public dialect only. */
export const balanceRoutes = [listCustomerBalances, createBalanceTransaction, updateBalance];

/** The audit entry of a change. */
function audit(call: Pick<Call<"id">, "params">): AuditEntry {
  const target_identifier = call.params.id;
  return { action_type: "customer_balance_changed", target_type: "customer", target_identifier };
}
