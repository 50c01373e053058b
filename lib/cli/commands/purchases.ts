/**
 * `cli purchases …`
 *
 * @module
 */

import { askAbout, confirmFlags, onListOf, onOne, showList, showOne } from "../words/plain.ts";
import {
  getPurchase,
  listPurchaseEntitlements,
  type Purchase,
  refundPurchase,
  searchPurchases,
} from "../../resources/purchases.ts";
import { argument, command, group } from "../words/command.ts";
import type { Column } from "../screen/output.ts";
import { nameOf, namesFor } from "./subscribers/holdings.ts";
import { heldEntitlementColumns } from "./subscriptions.ts";

const ID = "The purchase's id";

/** The columns of found purchases, with their products' names in the store. */
function columnsWith(names: ReadonlyMap<string, string>): Column<Purchase>[] {
  return [
    { header: "id", value: (purchase) => purchase.id, kind: "id" },
    { header: "customer", value: (purchase) => purchase.customer_id, kind: "id" },
    { header: "product", value: (purchase) => nameOf(purchase, names) },
    { header: "store", value: (purchase) => purchase.store, kind: "word" },
    { header: "purchased", value: (purchase) => purchase.purchased_at, kind: "date" },
  ];
}

const search = command({
  brief: "Find purchases by the store's id",
  details: "For example the id on a customer's receipt.",
  examples: ["cli purchases search GPA.3311-5029-7788-44120"],
  args: { store_id: argument("The store's id of the purchase") },
  async run(context, { store_id }) {
    const client = await context.client();
    const found = await searchPurchases(client, store_id);
    const names = await namesFor(context, client, found);
    await showList(context, {}, () => Promise.resolve(found), columnsWith(names));
  },
});

const refund = command({
  brief: "Refund a purchase",
  details: "Returns the money and ends the access at once. Only for web billing.",
  args: { id: argument(ID) },
  flags: confirmFlags,
  async run(context, { id, ...input }) {
    const client = await context.client();
    await askAbout(context, input, async () => {
      const { customer_id } = await getPurchase(client, id);
      return `Refund the purchase ${id} of ${customer_id} and end the access it gives now`;
    });
    showOne(context, await refundPurchase(client, id));
  },
});

/** One-time purchases. */
export const purchases = group("One-time purchases", ["purchase"], {
  view: onOne("Show a purchase", getPurchase, ID),
  entitlements: onListOf(
    "List the entitlements of a purchase",
    listPurchaseEntitlements,
    heldEntitlementColumns,
    ID,
  ),
  search,
  refund,
});
