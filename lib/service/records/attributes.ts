/**
 * The attributes of customers: in answers, in requests and in the database.
 *
 * @module
 */

import { z } from "zod";
import type { Page } from "../../page.ts";
import type { AttributeChange, CustomerAttribute } from "../../resources/customers.ts";
import { unprocessable } from "../contract/errors.ts";
import { listOf, text } from "../contract/fields.ts";
import type { Call } from "../contract/route.ts";
import { component, millis, patterned } from "../contract/schemas.ts";
import type { ProjectCall } from "./find.ts";
import { type Listing, nestedPage, tombstoneOf } from "./lists.ts";
import type { Row } from "../store/tables.ts";

/** An attribute in an answer. */
export const attributeSchema: z.ZodType<CustomerAttribute> = component(
  "CustomerAttribute",
  z.object({
    object: z.literal("customer.attribute"),
    name: z.string(),
    value: z.string().nullable(),
    updated_at: millis,
  }),
);

/** The reserved names. All others that begin with `$` are refused. */
const RESERVED = new Set(
  ("$ad $adGroup $adjustId $airbridgeDeviceId $airshipChannelId $amazonAdId $amplitudeDeviceId " +
    "$amplitudeUserId $appleRefundHandlingPreference $appleAdsAdGroupId $appleAdsCampaignId " +
    "$appleAdsKeywordId $apnsTokens $appsflyerId $appsflyerSharingFilter $attConsentStatus " +
    "$branchId $brazeAliasLabel $brazeAliasName $campaign $clevertapId $creative $customerioId " +
    "$deviceVersion $displayName $email $fbAnonId $fcmTokens $firebaseAppInstanceId $gpsAdId " +
    "$idfa $idfv $ip $iterableCampaignId $iterableTemplateId $iterableUserId $keyword " +
    "$kochavaDeviceId $mediaSource $mixpanelDistinctId $mparticleId $onesignalId " +
    "$onesignalUserId $phoneNumber $posthogUserId $segmentId $solarEngineDistinctId " +
    "$solarEngineAccountId $solarEngineVisitorId $telemetryDeckUserId $telemetryDeckAppId " +
    "$tenjinId telemetry_deck_user_id telemetry_deck_app_id").split(" "),
);

/**
 * Names that keep their first value: identifiers of the device, and attribution.
 *
 * Gap: another value is refused, and so is removal, but the same value again is accepted. Only
 * deleting the customer removes them.
 */
const FIXED = new Set([
  ...["$idfa", "$idfv", "$gpsAdId", "$ip"],
  ...["$mediaSource", "$campaign", "$adGroup", "$ad", "$keyword", "$creative"],
]);

/** The most custom attributes of a customer. */
const MOST_CUSTOM = 50;

/** The most attributes in one request. */
export const MOST_AT_ONCE = 50;

/** The names of custom attributes. */
const OWN_NAME = /^[a-zA-Z][a-zA-Z0-9_-]*$/;

/** The name of an attribute. */
export const attributeName = patterned(
  {
    pattern: `${OWN_NAME.source}|^(${
      [...RESERVED].map((one) => one.replace("$", "\\$")).join("|")
    })$`,
    description: "A name of your own, or a reserved one such as $email.",
  },
  text(40).refine(
    isAttributeName,
    "must start with a letter and contain only letters, digits, _ and -, or be a reserved name such as $email",
  ),
);

/** The value of an attribute. */
export const attributeValue = text(500, 0);

/** The attributes of a new customer. */
export const newAttributes = z.array(z.strictObject({ name: attributeName, value: attributeValue }))
  .max(
    MOST_AT_ONCE,
    `must have at most ${MOST_AT_ONCE} items`,
  );

const list: z.ZodType<AttributeChange[]> = listOf(
  z.strictObject({ name: attributeName, value: attributeValue.nullable() }),
  MOST_AT_ONCE,
);

/** The list as in the specification, or in an object as in the public API. */
export const attributeChanges: z.ZodType<AttributeChange[] | { attributes: AttributeChange[] }> = z
  .union([
    z.strictObject({ attributes: list }),
    list,
  ]);

/**
 * Sets attributes in order, so that the last one of the same name wins.
 *
 * @throws {Refusal} 422 for an attribute that keeps its first value, or for too many attributes.
 */
export async function writeAttributes(
  call: Pick<Call, "tx" | "project" | "now">,
  customerId: string,
  changes: readonly AttributeChange[],
): Promise<void> {
  const { tx, now } = call;
  const own = tx.selectFrom("customer_attributes").select(["name", "value"])
    .where("customer_id", "=", customerId);
  const values = new Map((await own.execute()).map(({ name, value }) => [name, value]));
  const before = countCustom(values.keys());
  for (const { name, value } of changes) changeValue(values, name, value);
  const after = countCustom(values.keys());
  if (after > MOST_CUSTOM && after > before) {
    const message = `A customer has at most ${MOST_CUSTOM} custom attributes; ` +
      `this change would make ${after}`;
    throw unprocessable(message, { param: "attributes" });
  }
  for (const name of new Set(changes.map((change) => change.name))) {
    await storeValue(call, { customer_id: customerId, name, value: values.get(name), at: now });
  }
}

/** A customer's attributes by name, the first page of them. */
export function attributePage(
  call: ProjectCall,
  customerId: string,
): Promise<Page<CustomerAttribute>> {
  const id = encodeURIComponent(customerId);
  const path = `/v2/projects/${call.project.id}/customers/${id}/attributes`;
  return nestedPage(attributeListing(call, customerId), path);
}

/** The kind of removed attributes' positions, so that lists can continue after them. */
const REMOVED = "customer_attribute";

/** A customer's attributes by name. The name is the position in the list. */
export function attributeListing(
  place: ProjectCall,
  customerId: string,
): Listing<Row<"customer_attributes">, string, CustomerAttribute> {
  const { tx } = place;
  return {
    async positionOf(name) {
      const known = await tx.selectFrom("customer_attributes").select("name")
        .where("customer_id", "=", customerId).where("name", "=", name).executeTakeFirst();
      return known ?? await tombstoneOf(place, REMOVED, `${customerId}/${name}`) ? name : undefined;
    },
    rowsAfter: (position, count) =>
      tx.selectFrom("customer_attributes").selectAll().where("customer_id", "=", customerId)
        .$if(position !== undefined, (query) => query.where("name", ">", position ?? ""))
        .orderBy("name").limit(count).execute(),
    idOf: (row) => row.name,
    show: ({ name, value, updated_at }) => ({
      object: "customer.attribute",
      name,
      value,
      updated_at,
    }),
  };
}

/** Whether a name is valid for an attribute. */
function isAttributeName(name: string): boolean {
  return RESERVED.has(name) || OWN_NAME.test(name);
}

/** The number of custom names. */
function countCustom(names: Iterable<string>): number {
  return [...names].filter((name) => !RESERVED.has(name)).length;
}

/** Changes one value. Null and the empty text remove it. */
function changeValue(values: Map<string, string>, name: string, value: string | null): void {
  const known = values.get(name);
  if (FIXED.has(name) && known !== undefined && known !== value) {
    const message = `The attribute ${JSON.stringify(name)} cannot be changed or removed after it ` +
      "is set";
    throw unprocessable(message, { param: "attributes" });
  }
  if (value === null || value === "") values.delete(name);
  else values.set(name, value);
}

/** Stores the value of one attribute, or removes it without a value. */
async function storeValue(
  { tx }: ProjectCall,
  { at, value, ...key }: {
    customer_id: string;
    name: string;
    value: string | undefined;
    at: number;
  },
): Promise<void> {
  if (value === undefined) {
    const { numDeletedRows } = await tx.deleteFrom("customer_attributes")
      .where("customer_id", "=", key.customer_id).where("name", "=", key.name).executeTakeFirst();
    if (numDeletedRows === 0n) return;
    const id = `${key.customer_id}/${key.name}`;
    await tx.insertInto("tombstones").values({ object: REMOVED, id, seq: 0, deleted_at: at })
      .onConflict((oc) => oc.doNothing()).execute();
    return;
  }
  await tx.insertInto("customer_attributes").values({ ...key, value, updated_at: at })
    .onConflict((oc) =>
      oc.columns(["project_id", "customer_id", "name"]).doUpdateSet({ value, updated_at: at })
    )
    .execute();
}
