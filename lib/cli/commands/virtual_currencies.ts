/**
 * `cli virtual-currencies …`
 *
 * @module
 */

import { onBody, onList, onOne, onOneForGood, onUpdate } from "../words/plain.ts";
import {
  archiveVirtualCurrency,
  createVirtualCurrency,
  deleteVirtualCurrency,
  getVirtualCurrency,
  listVirtualCurrencies,
  unarchiveVirtualCurrency,
  updateVirtualCurrency,
  type VirtualCurrency,
} from "../../resources/virtual_currencies.ts";
import { group, text } from "../words/command.ts";
import type { Column } from "../screen/output.ts";

const columns: Column<VirtualCurrency>[] = [
  { header: "code", value: (currency) => currency.code, kind: "id" },
  { header: "name", value: (currency) => currency.name },
  { header: "description", value: (currency) => currency.description },
  { header: "state", value: (currency) => currency.state, kind: "word" },
  { header: "created", value: (currency) => currency.created_at, kind: "date" },
];

const CODE = "The currency's code";

const names = {
  name: text("The display name"),
  description: text("The description"),
};

/** Virtual currencies. */
export const virtualCurrencies = group("Virtual currencies, which products grant", ["vc"], {
  list: onList("List the virtual currencies", listVirtualCurrencies, columns),
  view: onOne("Show a virtual currency", getVirtualCurrency, CODE),
  create: onBody("Create a virtual currency", {
    flags: { code: text("The code: upper-case letters, digits and _"), ...names },
    required: ["code", "name"],
    send: createVirtualCurrency,
  }),
  update: onUpdate("Update a virtual currency", updateVirtualCurrency, names, CODE),
  delete: onOneForGood(
    "Delete a virtual currency",
    "virtual currency",
    getVirtualCurrency,
    deleteVirtualCurrency,
  ),
  archive: onOne("Archive a virtual currency", archiveVirtualCurrency, CODE),
  unarchive: onOne("Unarchive a virtual currency", unarchiveVirtualCurrency, CODE),
});
