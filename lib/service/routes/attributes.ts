/**
 * Attributes of customers.
 *
 * @module
 */

import type { Page } from "../../page.ts";
import { route } from "../contract/route.ts";
import { pageOf, pageQuery } from "../contract/schemas.ts";
import {
  attributeChanges,
  attributeListing,
  attributePage,
  attributeSchema,
  writeAttributes,
} from "../records/attributes.ts";
import { rememberAttributeTime } from "../records/attribute_times.ts";
import { findCustomer } from "../records/find.ts";
import { listPage } from "../records/lists.ts";

const READ = "customer_information:customers:read";
const WRITE = "customer_information:customers:read_write";

const listCustomerAttributes = route({
  name: "listCustomerAttributes",
  summary: "Lists a customer's attributes, by name.",
  method: "GET",
  path: "/customers/{id}/attributes",
  scope: READ,
  query: pageQuery,
  response: pageOf(attributeSchema),
}, async (call) => {
  const customer = await findCustomer(call, call.params.id);
  return await listPage(call, attributeListing(call, customer.id));
});

const setCustomerAttributes = route({
  name: "setCustomerAttributes",
  summary: "Sets 1 to 50 attributes of a customer. Null or an empty text removes one. " +
    "Device and attribution attributes keep their first value.",
  method: "POST",
  path: "/customers/{id}/attributes",
  scope: WRITE,
  body: attributeChanges,
  response: pageOf(attributeSchema),
  audit: (_call, answer) => ({
    action_type: "customer_attributes_updated",
    target_type: "customer",
    target_identifier: customerIn(answer),
  }),
}, async (call) => {
  const customer = await findCustomer(call, call.params.id);
  const sent = call.body();
  const changes = Array.isArray(sent) ? sent : sent.attributes;
  await writeAttributes(call, customer.id, changes);
  // A device that sends an older value later does not undo this change.
  for (const { name } of changes) {
    await rememberAttributeTime(call, { customer_id: customer.id, name }, call.wall());
  }
  return await attributePage(call, customer.id);
});

/** The routes of attributes. */
export const attributeRoutes = [listCustomerAttributes, setCustomerAttributes];

/** The customer of a list of attributes, also for an alias in its address. */
function customerIn({ url }: Pick<Page<unknown>, "url">): string {
  return decodeURIComponent(url.split("/").at(-2) ?? "");
}
