/**
 * Customers. All their ids, with the main one, are rows of `customer_aliases`, and each finds the
 * customer.
 *
 * @module
 */

import { sql } from "kysely";
import { z } from "zod";
import type { CustomerAlias, NewCustomer } from "../../resources/customers.ts";
import { text } from "../contract/fields.ts";
import { route } from "../contract/route.ts";
import {
  component,
  deletedSchema,
  described,
  millis,
  pageOf,
  pageQuery,
} from "../contract/schemas.ts";
import { removeHoldings } from "../ledger/ownership.ts";
import { deleteRow, insertCustomer } from "../records/changes.ts";
import {
  BLOCKED_RULE,
  customerSchema,
  isNobody,
  showCustomer,
  showCustomerWithAccess,
  SHOWN_OF_CUSTOMER,
} from "../records/customers.ts";
import { findCustomer, LONGEST_CUSTOMER_ID, type ProjectCall } from "../records/find.ts";
import { type Listing, listPage, tableListing } from "../records/lists.ts";
import { attributePage, newAttributes, writeAttributes } from "../records/attributes.ts";
import type { Row } from "../store/tables.ts";

const aliasSchema: z.ZodType<CustomerAlias> = component(
  "CustomerAlias",
  z.object({
    object: z.literal("customer.alias"),
    id: z.string(),
    created_at: millis,
  }),
);

const newCustomer: z.ZodType<NewCustomer> = z.strictObject({
  id: described(
    "Placeholders that programs send by mistake, such as null, 0 or undefined, return 400.",
    text(LONGEST_CUSTOMER_ID)
      .regex(/^[0-9a-zA-Z_-]*$/, "must contain only letters, digits, _ and -")
      .refine((id) => !isNobody(id), BLOCKED_RULE),
  ),
  attributes: newAttributes.exactOptional(),
});

const READ = "customer_information:customers:read";
const WRITE = "customer_information:customers:read_write";

const listCustomers = route({
  name: "listCustomers",
  summary: "Lists the customers of the project, oldest first.",
  method: "GET",
  path: "/customers",
  scope: READ,
  query: pageQuery.extend({ search: text(255).optional() }),
  response: pageOf(customerSchema),
}, (call) => {
  const { search } = call.query;
  const where = search === undefined ? undefined : withEmail(call, search);
  return listPage(
    call,
    tableListing(call, "customers", {
      object: "customer",
      where,
      isNarrow: true,
      columns: SHOWN_OF_CUSTOMER,
      show: (row) => showCustomer(row, call.project.id),
    }),
  );
});

const getCustomer = route({
  name: "getCustomer",
  summary: "Reads one customer, by any of its ids.",
  method: "GET",
  path: "/customers/{id}",
  scope: READ,
  expand: { "attributes": READ },
  response: customerSchema,
}, async (call) => {
  const row = await findCustomer(call, call.params.id);
  const customer = await showCustomerWithAccess(call, row);
  return call.expand.has("attributes")
    ? { ...customer, attributes: await attributePage(call, row.id) }
    : customer;
});

const createCustomer = route({
  name: "createCustomer",
  summary: "Creates a customer.",
  method: "POST",
  path: "/customers",
  scope: WRITE,
  body: newCustomer,
  response: customerSchema,
  status: 201,
  audit: "customer_created",
}, async (call) => {
  const { id, attributes = [] } = call.body();
  const row = await insertCustomer(call, id);
  await writeAttributes(call, row.id, attributes);
  return showCustomer(row, row.project_id);
});

const deleteCustomer = route({
  name: "deleteCustomer",
  summary: "Deletes a customer and all its data permanently. Its events stay, without its " +
    "personal attributes.",
  method: "DELETE",
  path: "/customers/{id}",
  scope: WRITE,
  response: deletedSchema("customer"),
  audit: "customer_deleted",
}, async (call) => {
  const row = await findCustomer(call, call.params.id);
  await removeHoldings(call, row);
  return await deleteRow(call, "customers", "customer", row);
});

const listCustomerAliases = route({
  name: "listCustomerAliases",
  summary: "Lists a customer's aliases, with the main id, oldest first.",
  method: "GET",
  path: "/customers/{id}/aliases",
  scope: READ,
  query: pageQuery,
  response: pageOf(aliasSchema),
}, async (call) => {
  const customer = await findCustomer(call, call.params.id);
  return await listPage(call, aliasListing(call, customer.id));
});

/** The routes of customers. */
export const customerRoutes = [
  listCustomers,
  getCustomer,
  createCustomer,
  deleteCustomer,
  listCustomerAliases,
];

/** The condition for a customer's `$email`. */
function withEmail({ tx }: ProjectCall, email: string) {
  // The name is part of the SQL text, so that SQLite uses the index on e-mail addresses.
  return sql`id in (
    select customer_id from ${tx.rows("customer_attributes")} as attributes
    where name = '$email' and value = ${email})`;
}

/** A customer's ids, oldest first. */
function aliasListing(
  { tx }: ProjectCall,
  customerId: string,
): Listing<Row<"customer_aliases">, number, CustomerAlias> {
  const own = tx.selectFrom("customer_aliases").selectAll().where("customer_id", "=", customerId);
  return {
    positionOf: async (id) => (await own.where("alias", "=", id).executeTakeFirst())?.seq,
    rowsAfter: (seq, count) =>
      own.where("seq", ">", seq ?? 0).orderBy("seq").limit(count).execute(),
    idOf: (row) => row.alias,
    show: ({ alias, created_at }) => ({ object: "customer.alias", id: alias, created_at }),
  };
}
