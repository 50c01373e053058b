/**
 * `cli subscribers assign-offering`: assigns an offering to a single customer.
 *
 * @module
 */

import { UsageError } from "../../../errors.ts";
import { assignOffering } from "../../../resources/customers.ts";
import { argument, command, optionalArgument, toggle } from "../../words/command.ts";
import { showSubscriber } from "./card.ts";

/** Assigns a subscriber an offering, or removes the assignment. */
export const assignOfferingTo = command({
  brief: "Assign an offering to a subscriber",
  details: "The subscriber's apps then receive that offering as the current one. With --current " +
    "they receive the project's current offering again.",
  examples: [
    "cli subscribers assign-offering ada winter_sale",
    "cli subscribers assign-offering ada --current",
  ],
  args: {
    user_id: argument("The subscriber's app user id"),
    offering: optionalArgument("The offering's lookup key or id"),
  },
  flags: { current: toggle("Assign the project's current offering again") },
  async run(context, { user_id, offering, current }) {
    if ((offering === undefined) !== (current === true)) {
      throw new UsageError(
        "Cannot assign an offering to a subscriber: an offering or --current is missing",
        {
          hint: "See the offerings with: cli offerings list",
        },
      );
    }
    const client = await context.client();
    const answer = await assignOffering(client, user_id, { offering_id: offering ?? null });
    showSubscriber(context, answer, {});
    const shown = offering ?? "the current offering";
    context.out.done(`${user_id} now receives ${shown}`);
  },
});
