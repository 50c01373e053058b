/**
 * `cli paywalls …`
 *
 * @module
 */

import {
  createPaywall,
  deletePaywall,
  getPaywall,
  listPaywalls,
  type Paywall,
} from "../../resources/paywalls.ts";
import { group, text } from "../command.ts";
import type { Column } from "../output.ts";
import { onBody, onList, onOne, onOneForGood } from "../plain.ts";

const columns: Column<Paywall>[] = [
  { header: "id", value: (paywall) => paywall.id, kind: "id" },
  { header: "offering", value: (paywall) => paywall.offering?.lookup_key ?? paywall.offering_id },
  { header: "name", value: (paywall) => paywall.name },
  { header: "published", value: (paywall) => paywall.published_at, kind: "date" },
  { header: "created", value: (paywall) => paywall.created_at, kind: "date" },
];

/** Paywalls. Their content is set with `cli publish offering`. */
export const paywalls = group("Paywalls: what an offering looks like", [], {
  list: onList("List the paywalls", listPaywalls, columns),
  view: onOne("Show a paywall", getPaywall, "The paywall's id"),
  create: onBody("Create an empty paywall for an offering", {
    flags: { offering: text("The offering's lookup key or id", { placeholder: "lookup_key" }) },
    fields: { offering: "offering_id" },
    required: ["offering_id"],
    send: createPaywall,
  }),
  delete: onOneForGood("Delete a paywall", "paywall", deletePaywall),
});
