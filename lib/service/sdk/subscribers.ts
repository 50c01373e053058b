/**
 * Customers for apps, and their ids.
 *
 * @module
 */

import { z } from "zod";
import type { SdkAlias, SdkIdentity } from "../../resources/sdk_subscribers.ts";
import { type SdkCall, sdkRoute } from "../contract/sdk.ts";
import { SdkRefusal } from "../contract/sdk_errors.ts";
import { isAllAnonymous } from "../ledger/restore.ts";
import { mergeCustomers } from "../ledger/ownership.ts";
import { addAlias, findKnown, signIn } from "../sim/customers.ts";
import type { Row } from "../store/tables.ts";
import { answerWith, checkUser, markSeen, seeUser, userId } from "./customers.ts";
import { lastingOf, readSubscriber, subscriberSchema } from "./subscriber.ts";

const getSdkSubscriber = sdkRoute({
  name: "getSdkSubscriber",
  summary: "Reads a customer as an app sees it. An unknown id creates a customer.",
  description:
    "Dates are in the time of the app's device: an expired entitlement ends in the past there. " +
    "With the header X-Dates: project they are in the project's time.",
  method: "GET",
  path: "/v1/subscribers/{user}",
  changes: true,
  creates: true,
  lasting: lastingOf,
  response: subscriberSchema,
}, async (call) => {
  const { customer, isNew } = await seeUser(call, call.params.user);
  return await answerWith(call, customer, isNew);
});

const identity: z.ZodType<SdkIdentity> = z.object({ app_user_id: userId, new_app_user_id: userId });

const identifySdkSubscriber = sdkRoute({
  name: "identifySdkSubscriber",
  summary:
    "Signs a user in with another id. An anonymous user becomes the customer of that id, or " +
    "the project's restore behavior decides about the purchases.",
  method: "POST",
  path: "/v1/subscribers/identify",
  body: identity,
  changes: true,
  creates: true,
  response: subscriberSchema,
}, async (call) => {
  const { app_user_id, new_app_user_id } = call.body;
  checkUser(app_user_id);
  checkUser(new_app_user_id);
  const { customer } = await seeUser(call, app_user_id);
  const signedIn = await signIn(call, customer, new_app_user_id);
  const seen = await markSeen(call, signedIn.customer.id);
  return await answerWith(call, seen, signedIn.isNew);
});

const alias: z.ZodType<SdkAlias> = z.object({ new_app_user_id: userId });

const aliasSdkSubscriber = sdkRoute({
  name: "aliasSdkSubscriber",
  summary: "Adds an id to a customer, or merges two customers, unless both have signed in.",
  method: "POST",
  path: "/v1/subscribers/{user}/alias",
  body: alias,
  changes: true,
  response: subscriberSchema,
}, async (call) => {
  const { new_app_user_id } = call.body;
  checkUser(new_app_user_id);
  const { customer } = await seeUser(call, call.params.user);
  const known = await findKnown(call, new_app_user_id);
  if (!known) await addAlias(call, customer.id, new_app_user_id);
  const kept = known && known.id !== customer.id ? await join(call, customer, known) : customer.id;
  return await readSubscriber(call, await markSeen(call, kept));
});

/** The routes of customers. */
export const subscriberRoutes = [getSdkSubscriber, identifySdkSubscriber, aliasSdkSubscriber];

/** Merges two customers, one of whom has never signed in. Returns the id of the other. */
async function join(
  call: SdkCall,
  customer: Row<"customers">,
  known: Row<"customers">,
): Promise<string> {
  const isGuest = await isAllAnonymous(call, customer.id);
  if (!isGuest && !await isAllAnonymous(call, known.id)) {
    const message = `Cannot make one customer of ${JSON.stringify(customer.id)} and ` +
      `${JSON.stringify(known.id)}: both have signed in`;
    throw new SdkRefusal(409, "no_alias", message);
  }
  const [gone, kept] = isGuest ? [customer, known] : [known, customer];
  await mergeCustomers(call, { from: gone.id, to: kept.id });
  return kept.id;
}
