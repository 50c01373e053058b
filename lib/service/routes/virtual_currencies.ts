/**
 * Virtual currencies. A currency's code is its id.
 *
 * @module
 */

import { z } from "zod";
import type {
  NewProductGrant,
  NewVirtualCurrency,
  ProductGrant,
  VirtualCurrency,
  VirtualCurrencyChanges,
} from "../../resources/virtual_currencies.ts";
import { deleteRow, insertUnique, setState } from "../records/changes.ts";
import { unprocessable } from "../contract/errors.ts";
import { findProduct, findVirtualCurrency, type ProjectCall } from "../records/find.ts";
import { listPage, tableListing } from "../records/lists.ts";
import { type Call, route } from "../contract/route.ts";
import { component, deletedSchema, millis, pageOf, pageQuery } from "../contract/schemas.ts";
import { nextSeq } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";
import { state } from "../contract/fields.ts";

const virtualCurrencySchema: z.ZodType<VirtualCurrency> = component(
  "VirtualCurrency",
  z.object({
    object: z.literal("virtual_currency"),
    project_id: z.string(),
    code: z.string(),
    name: z.string(),
    created_at: millis,
    description: z.string().nullable(),
    product_grants: z.array(z.object({
      object: z.literal("virtual_currency.product_grant"),
      product_ids: z.array(z.string()),
      amount: z.int().min(1),
      trial_amount: z.int().min(0),
      expire_at_cycle_end: z.boolean(),
    })).nullable(),
    state,
  }),
);

const name = z.string().min(1).max(50);
const description = z.string().min(1).max(1500).nullable().exactOptional();
const amount = z.int().max(2_000_000_000);

const productGrants: z.ZodType<NewProductGrant[] | null> = z.array(z.strictObject({
  product_ids: z.array(z.string().min(1)).min(1).max(50),
  amount: amount.min(1),
  trial_amount: amount.min(0).nullable().exactOptional(),
  expire_at_cycle_end: z.boolean().nullable().exactOptional(),
})).max(100).nullable();

const newVirtualCurrency: z.ZodType<NewVirtualCurrency> = z.strictObject({
  code: z.string().regex(/^[A-Z0-9_]{1,10}$/, "must be 1 to 10 upper-case letters, digits and _"),
  name,
  description,
  product_grants: productGrants.exactOptional(),
});

const changes: z.ZodType<VirtualCurrencyChanges> = z.strictObject({
  name: name.exactOptional(),
  description,
  product_grants: productGrants.exactOptional(),
});

const READ = "project_configuration:virtual_currencies:read";
const WRITE = "project_configuration:virtual_currencies:read_write";

/** The most currencies in a project. */
const MOST = 100;

const listVirtualCurrencies = route({
  name: "listVirtualCurrencies",
  summary: "Lists the virtual currencies of the project, oldest first.",
  method: "GET",
  path: "/virtual_currencies",
  scope: READ,
  query: pageQuery,
  response: pageOf(virtualCurrencySchema),
}, (call) =>
  listPage(
    call,
    tableListing(call, "virtual_currencies", {
      object: "virtual_currency",
      show: showVirtualCurrency,
    }),
  ));

const getVirtualCurrency = route({
  name: "getVirtualCurrency",
  summary: "Reads one virtual currency.",
  method: "GET",
  path: "/virtual_currencies/{code}",
  scope: READ,
  response: virtualCurrencySchema,
}, async (call) => showVirtualCurrency(await findVirtualCurrency(call, call.params.code)));

const createVirtualCurrency = route({
  name: "createVirtualCurrency",
  summary: "Creates a virtual currency.",
  method: "POST",
  path: "/virtual_currencies",
  scope: WRITE,
  body: newVirtualCurrency,
  response: virtualCurrencySchema,
  status: 201,
  audit: "virtual_currency_created",
}, async (call) => {
  const { tx, now } = call;
  const { code, name, description, product_grants } = call.body();
  const own = tx.selectFrom("virtual_currencies");
  const { count } = await own.select((eb) => eb.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  if (count >= MOST) throw unprocessable(`A project has at most ${MOST} virtual currencies`);
  const row = await insertUnique(
    tx.insertInto("virtual_currencies").values({
      id: code,
      seq: await nextSeq(tx),
      name,
      description: description ?? null,
      product_grants: await storedGrants(call, product_grants ?? null),
      created_at: now,
    }).returningAll().executeTakeFirstOrThrow(),
    { column: "virtual_currencies.id", what: "a virtual currency", param: "code", value: code },
  );
  return showVirtualCurrency(row);
});

const updateVirtualCurrency = route({
  name: "updateVirtualCurrency",
  summary: "Changes a virtual currency. Its code stays.",
  method: "POST",
  path: "/virtual_currencies/{code}",
  scope: WRITE,
  body: changes,
  response: virtualCurrencySchema,
  audit: "virtual_currency_updated",
}, async (call) => {
  const before = await findVirtualCurrency(call, call.params.code);
  const { product_grants, ...rest } = call.body();
  const after = {
    name: rest.name ?? before.name,
    description: rest.description === undefined ? before.description : rest.description,
    product_grants: product_grants === undefined
      ? before.product_grants
      : await storedGrants(call, product_grants),
  };
  await call.tx.updateTable("virtual_currencies").set(after).where("id", "=", before.id).execute();
  return showVirtualCurrency({ ...before, ...after });
});

const deleteVirtualCurrency = route({
  name: "deleteVirtualCurrency",
  summary: "Deletes a virtual currency.",
  method: "DELETE",
  path: "/virtual_currencies/{code}",
  scope: WRITE,
  response: deletedSchema("virtual_currency"),
  audit: "virtual_currency_deleted",
}, async (call) => {
  const row = await findVirtualCurrency(call, call.params.code);
  return await deleteRow(call, "virtual_currencies", "virtual_currency", row);
});

const archiveVirtualCurrency = route({
  name: "archiveVirtualCurrency",
  summary: "Archives a virtual currency.",
  method: "POST",
  path: "/virtual_currencies/{code}/actions/archive",
  scope: WRITE,
  response: virtualCurrencySchema,
  audit: "virtual_currency_archived",
}, (call) => moveTo(call, "inactive"));

const unarchiveVirtualCurrency = route({
  name: "unarchiveVirtualCurrency",
  summary: "Unarchives a virtual currency.",
  method: "POST",
  path: "/virtual_currencies/{code}/actions/unarchive",
  scope: WRITE,
  response: virtualCurrencySchema,
  audit: "virtual_currency_unarchived",
}, (call) => moveTo(call, "active"));

/** The routes of virtual currencies. */
export const virtualCurrencyRoutes = [
  listVirtualCurrencies,
  getVirtualCurrency,
  createVirtualCurrency,
  updateVirtualCurrency,
  deleteVirtualCurrency,
  archiveVirtualCurrency,
  unarchiveVirtualCurrency,
];

/** A virtual currency in the API. */
function showVirtualCurrency(row: Row<"virtual_currencies">): VirtualCurrency {
  return {
    object: "virtual_currency",
    project_id: row.project_id,
    code: row.id,
    name: row.name,
    created_at: row.created_at,
    description: row.description,
    product_grants: row.product_grants === null ? null : JSON.parse(row.product_grants),
    state: row.state,
  };
}

/** Grants as stored, with all fields. Their products must exist. */
async function storedGrants(
  call: ProjectCall,
  grants: readonly NewProductGrant[] | null,
): Promise<string | null> {
  if (grants === null) return null;
  for (const id of grants.flatMap((grant) => grant.product_ids)) {
    await findProduct(call, id, "product_grants");
  }
  const whole = grants.map((grant): ProductGrant => ({
    object: "virtual_currency.product_grant",
    product_ids: grant.product_ids,
    amount: grant.amount,
    trial_amount: grant.trial_amount ?? 0,
    expire_at_cycle_end: grant.expire_at_cycle_end ?? false,
  }));
  return JSON.stringify(whole);
}

/** Archives or unarchives a currency. */
async function moveTo(call: Call<"code">, next: "active" | "inactive"): Promise<VirtualCurrency> {
  const { id } = await findVirtualCurrency(call, call.params.code);
  return showVirtualCurrency(await setState(call, "virtual_currencies", id, next));
}
