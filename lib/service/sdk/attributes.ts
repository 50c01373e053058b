/**
 * Attributes of customers from devices.
 *
 * @module
 */

import { z } from "zod";
import type {
  SdkAttribute,
  SdkAttributes,
  SdkAttributesAnswer,
} from "../../resources/sdk_subscribers.ts";
import { Refusal } from "../contract/errors.ts";
import { answerAs, type SdkCall, sdkRoute } from "../contract/sdk.ts";
import { SDK_CODE } from "../contract/sdk_errors.ts";
import { readAttributeTimes, rememberAttributeTime } from "../records/attribute_times.ts";
import {
  attributeName,
  attributeValue,
  MOST_AT_ONCE,
  writeAttributes,
} from "../records/attributes.ts";
import { seeUser } from "./customers.ts";

/** Attributes by name. Valid ones are stored, and errors name the others. */
export const sentAttributes: z.ZodType<Record<string, SdkAttribute>> = z.record(
  z.string(),
  z.object({ value: z.string().nullable(), updated_at_ms: z.int().min(0) }),
).refine(
  (all) => Object.keys(all).length <= MOST_AT_ONCE,
  `must have at most ${MOST_AT_ONCE} fields`,
);

const body: z.ZodType<SdkAttributes> = z.object({ attributes: sentAttributes });

const stored: z.ZodType<SdkAttributesAnswer> = z.object({});

/** An attribute that was not stored, with the reason. */
interface AttributeError {
  /** Its name. */
  key_name: string;
  /** The error. */
  message: string;
}

const setSdkAttributes = sdkRoute({
  name: "setSdkAttributes",
  summary: "Sets attributes of a customer. A value older than the stored one is ignored.",
  description: "Valid attributes are stored, and the error of code 7263 lists the others " +
    "under attribute_errors, by key_name.",
  method: "POST",
  path: "/v1/subscribers/{user}/attributes",
  body,
  bodyCode: "invalid_attributes_body",
  changes: true,
  response: stored,
}, async (call) => {
  const { customer } = await seeUser(call, call.params.user);
  const attribute_errors = await storeAttributes(call, customer.id, call.body.attributes);
  if (attribute_errors.length === 0) return {};
  const names = attribute_errors.map(({ key_name }) => JSON.stringify(key_name)).join(", ");
  const message = `Some attributes were not stored: ${names}`;
  return answerAs(400, { code: SDK_CODE.invalid_attributes, message, attribute_errors });
});

/** The route of attributes. */
export const attributeRoutes = [setSdkAttributes];

/** Stores valid attributes, and returns the others. */
export async function storeAttributes(
  call: SdkCall,
  customerId: string,
  attributes: Readonly<Record<string, SdkAttribute>>,
): Promise<AttributeError[]> {
  const times = await readAttributeTimes(call, customerId);
  const errors: AttributeError[] = [];
  for (const [name, { value, updated_at_ms }] of Object.entries(attributes)) {
    if (updated_at_ms < (times.get(name) ?? 0)) continue;
    const message = faultOf(name, value) ?? await write(call, customerId, name, value);
    if (message !== undefined) errors.push({ key_name: name, message });
    else await rememberAttributeTime(call, { customer_id: customerId, name }, updated_at_ms);
  }
  return errors;
}

/** The error of a name or value, if any. */
function faultOf(name: string, value: string | null): string | undefined {
  const parsed = attributeName.safeParse(name);
  const issue = parsed.error?.issues[0] ??
    attributeValue.nullable().safeParse(value).error?.issues[0];
  return issue && `The ${parsed.success ? "value" : "name"} ${issue.message}`;
}

/** Writes one attribute. Returns the reason if that is impossible. */
async function write(
  call: SdkCall,
  customerId: string,
  name: string,
  value: string | null,
): Promise<string | undefined> {
  try {
    await writeAttributes(call, customerId, [{ name, value }]);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal && error.status === 422) return error.message;
    throw error;
  }
}
