/**
 * `cli simulate alias`.
 *
 * @module
 */

import { argument, command } from "../../words/command.ts";
import { dataFlag } from "../../local/local_service.ts";
import { showOne } from "../../words/plain.ts";
import { openSimulator } from "../../local/simulator.ts";
import { showSubscriber } from "../subscribers/card.ts";
import { entitlementKeys } from "../subscribers/holdings.ts";
import { signInCustomer } from "../../../simulator/customers.ts";

/** Simulates a sign-in under another id. */
export const alias = command({
  brief: "Simulate a sign-in under another id",
  details:
    "Works as in SDKs: an anonymous customer is merged with the customer of that id, unless " +
    "that customer was anonymous before. In all other cases nothing is merged, and the app " +
    "switches to the other customer.",
  args: {
    user_id: argument("The customer's app user id"),
    alias: argument("The id to sign in with"),
  },
  flags: dataFlag,
  async run(context, { user_id, alias, data }) {
    const simulator = await openSimulator(context, data);
    const answer = await signInCustomer(simulator, user_id, { alias });
    const { out } = context;
    if (out.format === "json") return showOne(context, answer);
    // A caller of the simulator need not be signed in: then ids are shown instead of names.
    const keys = await context.client().then(entitlementKeys).catch(() => undefined);
    showSubscriber(context, answer.customer, { keys });
    out.done(
      {
        same: `${user_id} and ${alias} are already the same customer`,
        merged: `${user_id} and ${alias} are now one customer: ${answer.customer.id}`,
        switched: `${alias} is another customer: nothing was merged`,
      }[answer.outcome],
    );
  },
});
