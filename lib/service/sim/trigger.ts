/**
 * Making an event of a given type: not by writing it, but by letting happen what it tells of. All of
 * it happens in one transaction, or nothing does.
 *
 * @module
 */

import { z } from "zod";
import { validate } from "../body.ts";
import { invalid, unprocessable } from "../errors.ts";
import { queueDeliveries } from "../events/queue.ts";
import { testEvent } from "../events/test_event.ts";
import { findCustomer } from "../find.ts";
import { moveHoldings } from "../owners.ts";
import { nextSeq } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";
import { findOrCreateCustomer } from "./customers.ts";
import { showEvent } from "./events.ts";
import { customerId } from "./fields.ts";
import { type SimCall, simRoute } from "./route.ts";
import { checkOverrides, overridesOf, type Recipe, RECIPES } from "./trigger_recipes.ts";
import { buyFor, changeTarget, findHeld, perform } from "./trigger_steps.ts";

const body = z.strictObject({
  type: z.string().min(1).toUpperCase(),
  customer_id: customerId.optional(),
  overrides: z.record(z.string(), z.unknown()).default({}),
});

/** What was asked for. */
type Wanted = z.infer<typeof body>;

const trigger = simRoute({
  summary: "Lets happen what an event of a type tells of, for a customer or a new one.",
  method: "POST",
  path: "/trigger",
  body,
  status: 201,
}, async (call) => {
  const wanted = call.body();
  const recipe = RECIPES[wanted.type];
  if (!recipe) {
    const known = Object.keys(RECIPES).join(", ");
    throw invalid("type", `Nothing here leads to ${wanted.type}; there are ${known}`);
  }
  checkOverrides(wanted.type, recipe, wanted.overrides);
  const { seq } = await call.tx.selectFrom("projects").select("last_seq as seq")
    .where("id", "=", call.project.id).executeTakeFirstOrThrow();
  await cook(call, wanted, recipe);
  const events = await call.tx.selectFrom("events").selectAll()
    .where("project_id", "=", call.project.id).where("seq", ">", seq).orderBy("seq").execute();
  const made = events.findLast(({ type }) => type === wanted.type);
  if (made) return showEvent(made);
  const others = events.map(({ type }) => type).join(", ") || "no event";
  throw unprocessable(`That would lead to ${others}, not to ${wanted.type}`);
});

/** The route that makes events. */
export const triggerRoutes = [trigger];

/** Does what a recipe says. */
async function cook(call: SimCall, wanted: Wanted, recipe: Recipe): Promise<void> {
  const { customer_id, overrides } = wanted;
  if (recipe.product === "none") {
    if (customer_id === undefined) return await tell(call);
    throw invalid("customer_id", `${wanted.type} is about no customer`);
  }
  const customer = customer_id === undefined
    ? await findOrCreateCustomer(call, `triggered-${crypto.randomUUID().slice(0, 8)}`)
    : await findCustomer(call, customer_id);
  const held = recipe.fresh ? undefined : await findHeld(call, customer, recipe);
  const purchase = overridesOf(overrides, "purchase");
  if (held && Object.keys(purchase).length > 0) {
    throw unprocessable(
      `Nothing is bought, since the customer has ${held.id}: leave purchase.* out`,
    );
  }
  const subject = held ?? await buyFor(call, customer, recipe, purchase);
  for (const { name, skip, body: usual = {} } of recipe.steps) {
    if (held && skip?.(held)) continue;
    const sent = overridesOf(overrides, name);
    if (name === "transfer") await transfer(call, customer, sent);
    else {
      const more = name === "change_product" ? await changeTarget(call, subject.id, sent) : {};
      await perform(
        call,
        `/subscriptions/{id}/${name}`,
        { ...usual, ...more, ...sent },
        subject.id,
      );
    }
  }
}

/** Writes a test event, for everybody who gets all events. */
async function tell(call: SimCall): Promise<void> {
  const { tx, project, now } = call;
  const seq = await nextSeq(tx, project.id);
  const event = testEvent({ project_id: project.id, seq, created_at: now, app_id: null });
  await tx.insertInto("events").values(event).execute();
  await queueDeliveries(call, [event]);
}

const transferBody = z.strictObject({ target_customer_id: customerId.optional() });

/** Moves all that a customer has to another one. */
async function transfer(call: SimCall, from: Row<"customers">, sent: object): Promise<void> {
  const { target_customer_id } = validate(transferBody, sent);
  const id = target_customer_id ?? `triggered-${crypto.randomUUID().slice(0, 8)}`;
  const to = await findOrCreateCustomer(call, id);
  if (to.id === from.id) {
    throw invalid("transfer.target_customer_id", "The target is the customer itself");
  }
  await moveHoldings(call, { from: from.id, to: to.id });
}
