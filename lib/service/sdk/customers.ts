/**
 * The users of an app: their ids, and the data in a request about them.
 *
 * @module
 */

import { z } from "zod";
import { answerAs, type SdkAnswer, type SdkCall } from "../contract/sdk.ts";
import { SdkRefusal } from "../contract/sdk_errors.ts";
import { insertCustomer } from "../records/changes.ts";
import { isNobody } from "../records/customers.ts";
import { isTooLong, LONGEST_CUSTOMER_ID } from "../records/find.ts";
import { findKnown, USUAL_COUNTRY } from "../sim/customers.ts";
import type { Row } from "../store/tables.ts";
import { readSubscriber } from "./subscriber.ts";
import type { SdkSubscriberAnswer } from "../../resources/sdk_subscribers.ts";

/** The part of a call for finding its user. */
type UserCall = Pick<SdkCall, "tx" | "project" | "now" | "platform">;

/** An id of a user in a body. `checkUser()` refuses invalid ones with a code of its own. */
export const userId = z.string();

/**
 * Refuses invalid ids.
 *
 * @throws {SdkRefusal} 400.
 */
export function checkUser(user: string): void {
  if (user === "") {
    throw new SdkRefusal(400, "empty_user", "An app user id must have at least 1 character");
  }
  if (isTooLong(user)) {
    const message = `An app user id must have at most ${LONGEST_CUSTOMER_ID} bytes in UTF-8`;
    throw new SdkRefusal(400, "invalid_user", message);
  }
  if (!isNobody(user) && !/[/\0]/.test(user) && user !== "." && user !== "..") return;
  const message = `${JSON.stringify(user)} cannot be an app user id`;
  throw new SdkRefusal(400, "invalid_user", message);
}

/** The user of a request. The request counts as a visit, and creates an unknown user. */
export async function seeUser(
  call: UserCall,
  user: string,
): Promise<{ customer: Row<"customers">; isNew: boolean }> {
  checkUser(user);
  const known = await findKnown(call, user);
  if (known) return { customer: await markSeen(call, known.id), isNew: false };
  const customer = await insertCustomer(call, user, {
    last_seen_app_version: null,
    last_seen_country: USUAL_COUNTRY,
    last_seen_platform: platformName(call),
  });
  return { customer, isNew: true };
}

/** Records a customer's visit, with the platform of the request. */
export async function markSeen(call: UserCall, customerId: string): Promise<Row<"customers">> {
  const name = platformName(call);
  return await call.tx.updateTable("customers").set({
    last_seen_at: call.now,
    ...name !== null && { last_seen_platform: name },
  }).where("id", "=", customerId).returningAll().executeTakeFirstOrThrow();
}

/** An answer with a customer: 201 for a new one. */
export async function answerWith(
  call: SdkCall,
  customer: Row<"customers">,
  isNew: boolean,
): Promise<SdkSubscriberAnswer | SdkAnswer<SdkSubscriberAnswer>> {
  const answer = await readSubscriber(call, customer);
  return isNew ? answerAs(201, answer) : answer;
}

const PLATFORM_NAMES: Readonly<Record<string, string>> = {
  ios: "iOS",
  ipados: "iPadOS",
  macos: "macOS",
  tvos: "tvOS",
  watchos: "watchOS",
  visionos: "visionOS",
};

/** The platform in a customer's spelling. */
function platformName({ platform }: UserCall): string | null {
  return platform === null ? null : PLATFORM_NAMES[platform] ?? platform;
}
