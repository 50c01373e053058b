/**
 * Paywalls and their content. An offering has at most one.
 *
 * @module
 */

import { z } from "zod";
import type {
  NewPaywall,
  Paywall,
  PaywallComponents,
  PaywallContent,
} from "../../resources/paywalls.ts";
import { deleteRow } from "../records/changes.ts";
import { Refusal } from "../contract/errors.ts";
import { findOffering, findPaywall, type ProjectCall } from "../records/find.ts";
import { newId } from "../records/ids.ts";
import { listPage, tableListing } from "../records/lists.ts";
import { type Call, route } from "../contract/route.ts";
import { component, deletedSchema, millis, pageOf, pageQuery } from "../contract/schemas.ts";
import { nextSeq } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";
import { offeringSchema, showOffering } from "../records/offerings.ts";

const json = z.record(z.string(), z.unknown());

/** Texts by language. */
const localizations = z.record(z.string(), json);

const version = z.object({
  revision: z.int().min(1).nullable(),
  components_config: json.nullable(),
  default_locale: z.string().nullable(),
  components_localizations: localizations,
});

const paywallSchema: z.ZodType<Paywall> = component(
  "Paywall",
  z.object({
    object: z.literal("paywall"),
    id: z.string(),
    name: z.string().nullable(),
    offering_id: z.string(),
    created_at: millis,
    published_at: millis.nullable(),
    offering: offeringSchema.exactOptional(),
    components: z.object({ published: version.nullable(), draft: version.nullable() })
      .exactOptional(),
  }),
);

const newPaywall: z.ZodType<NewPaywall> = z.strictObject({
  offering_id: z.string().min(1).max(200),
});

// Gap: the content's schema is not published. Any object is stored unchanged, and known keys are
// checked. The revision is read-only, so it is removed.
const content: z.ZodType<PaywallContent> = z.looseObject({
  template_name: z.string().min(1).exactOptional(),
  default_locale: z.string().min(1).exactOptional(),
  localized_strings: localizations.exactOptional(),
  components_localizations: localizations.exactOptional(),
  components_config: json.exactOptional(),
  config: json.exactOptional(),
  asset_base_url: z.string().exactOptional(),
}).refine((content) => !("revision" in content), {
  path: ["revision"],
  message: "must be omitted: the service sets it",
});

const READ = "project_configuration:offerings:read";
const WRITE = "project_configuration:offerings:read_write";

const listPaywalls = route({
  name: "listPaywalls",
  summary: "Lists the paywalls of the project, oldest first.",
  method: "GET",
  path: "/paywalls",
  scope: READ,
  query: pageQuery,
  expand: { "items.offering": READ },
  response: pageOf(paywallSchema),
}, (call) =>
  listPage(
    call,
    tableListing(call, "paywalls", {
      object: "paywall",
      show: (row) => showExpanded(call, row, "items."),
    }),
  ));

const getPaywall = route({
  name: "getPaywall",
  summary: "Reads one paywall.",
  method: "GET",
  path: "/paywalls/{id}",
  scope: READ,
  expand: { "offering": READ, "components": READ },
  response: paywallSchema,
}, async (call) => showExpanded(call, await findPaywall(call, call.params.id), ""));

const createPaywall = route({
  name: "createPaywall",
  summary: "Creates an empty paywall for an offering.",
  method: "POST",
  path: "/paywalls",
  scope: WRITE,
  body: newPaywall,
  response: paywallSchema,
  status: 201,
  audit: "paywall_created",
}, async (call) => {
  const offering = await findOffering(call, call.body().offering_id, "offering_id");
  if (await paywallOf(call, offering.id)) {
    const message = `The offering ${JSON.stringify(offering.lookup_key)} already has a paywall`;
    throw new Refusal(409, "resource_already_exists", message, { param: "offering_id" });
  }
  return showPaywall(await insertPaywall(call, offering.id));
});

const deletePaywall = route({
  name: "deletePaywall",
  summary: "Deletes a paywall. The offering stays.",
  method: "DELETE",
  path: "/paywalls/{id}",
  scope: WRITE,
  response: deletedSchema("paywall"),
  audit: "paywall_deleted",
}, async (call) => deleteRow(call, "paywalls", "paywall", await findPaywall(call, call.params.id)));

const setOfferingPaywall = route({
  name: "setOfferingPaywall",
  summary: "Sets the content of an offering's paywall, or creates the paywall.",
  method: "PUT",
  path: "/offerings/{id}/paywall",
  scope: WRITE,
  body: content,
  response: paywallSchema,
  audit: "offering_paywall_updated",
}, async (call) => {
  const { tx, now } = call;
  const offering = await findOffering(call, call.params.id);
  const put = JSON.stringify(call.body());
  const before = await paywallOf(call, offering.id) ?? await insertPaywall(call, offering.id);
  const row = { ...before, content: put, published_at: now, revision: before.revision + 1 };
  await tx.updateTable("paywalls")
    .set({ content: put, published_at: now, revision: row.revision })
    .where("id", "=", row.id).execute();
  return { ...showPaywall(row), components: showComponents(row) };
});

// Gap: not in the specification. A client needs it to see whether a change is needed.
const getOfferingPaywall = route({
  name: "getOfferingPaywall",
  alias: "setOfferingPaywall",
  summary: "Reads the current content of an offering's paywall.",
  method: "GET",
  path: "/offerings/{id}/paywall",
  scope: READ,
  response: json,
}, async (call) => {
  const offering = await findOffering(call, call.params.id);
  const row = await paywallOf(call, offering.id);
  if (row?.content) return JSON.parse(row.content);
  const message = `The offering ${JSON.stringify(offering.lookup_key)} has no paywall content`;
  throw new Refusal(404, "resource_missing", message);
});

/** The routes of paywalls. */
export const paywallRoutes = [
  listPaywalls,
  getPaywall,
  createPaywall,
  deletePaywall,
  setOfferingPaywall,
  getOfferingPaywall,
];

/** A paywall in the API. */
function showPaywall(row: Row<"paywalls">): Paywall {
  return {
    object: "paywall",
    id: row.id,
    name: row.name,
    offering_id: row.offering_id,
    created_at: row.created_at,
    published_at: row.published_at,
  };
}

/** A paywall with the fields in `expand`. */
async function showExpanded(call: Call, row: Row<"paywalls">, prefix: string): Promise<Paywall> {
  const paywall = showPaywall(row);
  if (call.expand.has(`${prefix}offering`)) {
    paywall.offering = showOffering(call.project, await findOffering(call, row.offering_id));
  }
  if (call.expand.has(`${prefix}components`)) paywall.components = showComponents(row);
  return paywall;
}

/**
 * The content in the form of a published version. The service has no drafts.
 *
 * Gap: without a `components_config`, as in templates, it is all content without a field of its
 * own.
 */
function showComponents(row: Row<"paywalls">): PaywallComponents {
  if (row.content === null) return { published: null, draft: null };
  const { default_locale, ...content }: PaywallContent = JSON.parse(row.content);
  const texts = content.components_localizations ? "components_localizations" : "localized_strings";
  const { [texts]: components_localizations = {}, ...rest } = content;
  return {
    published: {
      revision: row.revision,
      components_config: rest.components_config ?? (Object.keys(rest).length > 0 ? rest : null),
      default_locale: default_locale ?? null,
      components_localizations,
    },
    draft: null,
  };
}

/** The paywall of an offering, if any. */
async function paywallOf(
  { tx }: ProjectCall,
  offeringId: string,
): Promise<Row<"paywalls"> | undefined> {
  return await tx.selectFrom("paywalls").selectAll().where("offering_id", "=", offeringId)
    .executeTakeFirst();
}

/** Creates an empty paywall. */
async function insertPaywall(call: Call, offeringId: string): Promise<Row<"paywalls">> {
  return await call.tx.insertInto("paywalls").values({
    id: newId("paywall"),
    seq: await nextSeq(call.tx),
    offering_id: offeringId,
    name: null,
    created_at: call.now,
    published_at: null,
    content: null,
  }).returningAll().executeTakeFirstOrThrow();
}
