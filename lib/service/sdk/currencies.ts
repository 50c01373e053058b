/**
 * Customers' balances of virtual currencies, for apps.
 *
 * @module
 */

import { z } from "zod";
import type { SdkVirtualCurrencies } from "../../resources/sdk_subscribers.ts";
import { component } from "../contract/schemas.ts";
import { sdkRoute } from "../contract/sdk.ts";
import { LARGEST_BALANCE } from "../records/balances.ts";
import { findKnown } from "../sim/customers.ts";
import { checkUser } from "./customers.ts";

const currencies: z.ZodType<SdkVirtualCurrencies> = component(
  "SdkVirtualCurrencies",
  z.object({
    virtual_currencies: z.record(
      z.string(),
      z.object({
        balance: z.int().min(0).max(LARGEST_BALANCE),
        code: z.string(),
        name: z.string(),
        description: z.string().nullable(),
      }),
    ),
  }),
);

const getSdkVirtualCurrencies = sdkRoute({
  name: "getSdkVirtualCurrencies",
  summary: "Reads a customer's balances of the project's active virtual currencies.",
  method: "GET",
  path: "/v1/subscribers/{user}/virtual_currencies",
  response: currencies,
}, async (call) => {
  const { tx, params: { user } } = call;
  checkUser(user);
  // Gap: an unknown user has no balances, and the request does not create the user.
  const customer = await findKnown(call, user);
  const rows = await tx.selectFrom("virtual_currencies").selectAll()
    .where("state", "=", "active").orderBy("seq").execute();
  const held = await tx.selectFrom("currency_balances").select(["currency_id", "balance"])
    .where("customer_id", "=", customer?.id ?? "").execute();
  const balances = new Map(held.map(({ currency_id, balance }) => [currency_id, balance]));
  return {
    virtual_currencies: Object.fromEntries(
      rows.map(({ id: code, name, description }) => [
        code,
        { balance: balances.get(code) ?? 0, code, name, description },
      ]),
    ),
  };
});

/** The route of virtual currencies. */
export const currencyRoutes = [getSdkVirtualCurrencies];
