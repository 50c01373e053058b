import { deepEqual } from "node:assert/strict";
import { currencyEvent } from "../../../lib/service/domain/events.ts";

/** The customer that an event names, of a customer with some ids. */
function namedIn(aliases: readonly string[], id: string): unknown {
  const subject = {
    store: "app_store",
    environment: "production",
    app_id: "app",
    country: "US",
  } as const;
  const event = currencyEvent(subject, {
    id: "event",
    at: 0,
    customer: { id, aliases, attributes: {}, country: null },
    product_id: "coins",
    adjustments: [],
    product_display_name: null,
    transaction_id: "transaction",
    virtual_currency_transaction_id: "virtual",
  });
  return event["app_user_id"];
}

Deno.test("an event names the latest id that is not anonymous, else the latest id", () => {
  const [first, second] = ["$RCAnonymousID:1", "$RCAnonymousID:2"];
  deepEqual(namedIn([first, "ada", second, "linus", "$RCAnonymousID:3"], first), "linus");
  deepEqual(namedIn([first, second], first), second);
  deepEqual(namedIn([], first), first);
});
