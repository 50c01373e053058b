/**
 * `cli paywalls …`
 *
 * @module
 */

import { listFlags, onBody, onOneForGood, showList, showOne } from "../words/plain.ts";
import {
  createPaywall,
  deletePaywall,
  getPaywall,
  listPaywalls,
  type Paywall,
  type PaywallQuery,
  type PaywallsQuery,
} from "../../resources/paywalls.ts";
import { argument, command, group, text, toggle } from "../words/command.ts";
import type { Column } from "../screen/output.ts";

const columns: Column<Paywall>[] = [
  { header: "id", value: (paywall) => paywall.id, kind: "id" },
  {
    header: "offering",
    value: (paywall) => paywall.offering?.lookup_key ?? paywall.offering_id,
    kind: "id",
  },
  { header: "name", value: (paywall) => paywall.name },
  { header: "published", value: (paywall) => paywall.published_at, kind: "date" },
  { header: "created", value: (paywall) => paywall.created_at, kind: "date" },
];

const list = command({
  brief: "List the paywalls",
  flags: listFlags,
  async run(context, input) {
    const client = await context.client();
    // JSON is the list without additional requests.
    const expand: PaywallsQuery = context.out.format === "json"
      ? {}
      : { expand: ["items.offering"] };
    await showList(
      context,
      input,
      (query) => listPaywalls(client, { ...query, ...expand }),
      columns,
    );
  },
});

const view = command({
  brief: "Show a paywall",
  details: "The content is what apps receive. Set it with: cli publish offering",
  args: { id: argument("The paywall's id") },
  flags: { content: toggle("Show the content, too") },
  async run(context, { id, content }) {
    const query: PaywallQuery = content === true ? { expand: ["components"] } : {};
    showOne(context, await getPaywall(await context.client(), id, query));
  },
});

/** Paywalls. Their content is set with `cli publish offering`. */
export const paywalls = group("Paywalls, which present an offering", [], {
  list,
  view,
  create: onBody("Create an empty paywall for an offering", {
    flags: { offering: text("The offering's lookup key or id", { placeholder: "lookup_key" }) },
    fields: { offering: "offering_id" },
    required: ["offering_id"],
    send: createPaywall,
  }),
  delete: onOneForGood("Delete a paywall", "paywall", getPaywall, deletePaywall),
});
