/**
 * Triggers an event of a given type through the actions that cause it, all in one transaction.
 *
 * @module
 */

import { z } from "zod";
import { invalid, unprocessable } from "../../contract/errors.ts";
import { queueDeliveries } from "../../events/queue.ts";
import { writeTestEvent } from "../../ledger/test_event.ts";
import { findCustomer } from "../../records/find.ts";
import { newUuid } from "../../records/random.ts";
import { lastSeq } from "../../store/mod.ts";
import type { Row } from "../../store/tables.ts";
import { showEvent } from "../events/events.ts";
import { customerId } from "../fields.ts";
import { event } from "../answers.ts";
import { type SimCall, simRoute } from "../route.ts";
import { bringingCurrency, type Buyer, buyFor, changeTarget } from "./goods.ts";
import { blaming, checkOverrides, type Overrides, overridesOf } from "./overrides.ts";
import { type Held, type Recipe, RECIPES, type RecipeStep } from "./recipes.ts";
import {
  chooseHeld,
  clearWay,
  hasHoldings,
  perform,
  readHeld,
  rereadHeld,
  transfer,
} from "./steps.ts";

const body = z.strictObject({
  type: z.string().min(1).toUpperCase(),
  customer_id: customerId.optional(),
  overrides: z.record(z.string(), z.unknown()).default({}),
});

/** The request, with its recipe. */
interface Wanted extends z.infer<typeof body> {
  /** The recipe. */
  recipe: Recipe;
  /** The `seq` after which events are new. */
  after: number;
}

const trigger = simRoute({
  name: "triggerEvent",
  summary: "Triggers an event of a type, for a customer or a new one.",
  method: "POST",
  path: "/trigger",
  body,
  response: event,
  status: 201,
}, async (call) => {
  const sent = call.body();
  const recipe = RECIPES[sent.type];
  if (!recipe) {
    const known = Object.keys(RECIPES).join(", ");
    throw invalid("type", `Cannot trigger ${sent.type}; the types are ${known}`);
  }
  checkOverrides(sent.type, recipe, sent.overrides);
  const after = await lastSeq(call.tx);
  const wanted = { ...sent, recipe, after };
  await cook(call, wanted);
  const events = await newEvents(call, wanted);
  const made = events.findLast(({ type }) => type === wanted.type);
  if (made) return showEvent(made);
  const others = events.map(({ type }) => type).join(", ") || "no event";
  throw unprocessable(`The steps would trigger ${others}, not ${wanted.type}`);
});

/** The route that triggers events. */
export const triggerRoutes = [trigger];

/** Runs a recipe. */
async function cook(call: SimCall, wanted: Wanted): Promise<void> {
  const { type, customer_id, recipe } = wanted;
  if (recipe.product === "none") {
    if (customer_id !== undefined) throw invalid("customer_id", `${type} has no customer`);
    return await queueDeliveries(call, [await writeTestEvent(call, null)]);
  }
  const customer: Buyer = customer_id === undefined
    ? { id: `triggered-${newUuid().slice(0, 8)}`, isNew: true }
    : { id: (await findCustomer(call, customer_id, "customer_id")).id, isNew: false };
  if (recipe.transfers) return await transferAll(call, wanted, customer);
  const all = await readHeld(call, customer);
  const usable = recipe.product === "currency" ? await bringingCurrency(call, all) : all;
  const held = chooseHeld(usable, recipe);
  if (held) {
    checkUnused(
      wanted.overrides,
      "purchase",
      `the customer has ${held.id} and no purchase is needed`,
    );
    return await follow(call, wanted, held, false);
  }
  const bought = await buyOne(call, wanted, customer);
  if (recipe.steps.length === 0) return;
  if (bought.renews) return await follow(call, wanted, await rereadHeld(call, bought), true);
  if (recipe.product === "currency") return;
  throw unprocessable("'purchase.product_id' must be a subscription");
}

/** Runs the steps of a recipe, after removing obstacles. */
async function follow(
  call: SimCall,
  wanted: Wanted,
  held: Held,
  bought: boolean,
): Promise<void> {
  let state = await clearWay(call, held, wanted.recipe);
  const there = await newEvents(call, wanted);
  // Removing obstacles already made the event, such as a RENEWAL at the end of a pause.
  if (!bought && there.some(({ type }) => type === wanted.type)) return;
  for (const step of wanted.recipe.steps) {
    const done = step.skip?.(state, bought);
    if (done !== undefined) {
      checkUnused(wanted.overrides, step.name, done);
      continue;
    }
    await takeStep(call, wanted.overrides, step, state);
    state = await rereadHeld(call, state);
  }
}

async function takeStep(
  call: SimCall,
  overrides: Overrides,
  { name, body: usual }: RecipeStep,
  state: Held,
): Promise<void> {
  const sent = overridesOf(overrides, name);
  const more = name === "change_product" ? await changeTarget(call, state, sent) : {};
  const whole = { ...usual?.(state, sent), ...more, ...sent };
  await blaming(name, sent, () => perform(call, name, state.id, whole));
}

/** Moves a customer's purchases, existing or new, to another one. */
async function transferAll(
  call: SimCall,
  wanted: Wanted,
  customer: Buyer,
): Promise<void> {
  if (await hasHoldings(call, customer)) {
    const why = "the customer has something to move and no purchase is needed";
    checkUnused(wanted.overrides, "purchase", why);
  } else await buyOne(call, wanted, customer);
  const sent = overridesOf(wanted.overrides, "transfer");
  await blaming("transfer", sent, () => transfer(call, customer, sent));
}

async function buyOne(call: SimCall, wanted: Wanted, customer: Buyer) {
  const sent = overridesOf(wanted.overrides, "purchase");
  return await blaming("purchase", sent, () => buyFor(call, customer, wanted.recipe, sent));
}

/** Refuses overrides of steps that do not run. */
function checkUnused(overrides: Overrides, step: string, why: string): void {
  if (Object.keys(overridesOf(overrides, step)).length === 0) return;
  throw unprocessable(`The overrides ${step}.* would have no effect, since ${why}: remove them`);
}

/** The events so far. */
async function newEvents(
  { tx }: SimCall,
  { after }: Wanted,
): Promise<Row<"events">[]> {
  return await tx.selectFrom("events").selectAll()
    .where("seq", ">", after).orderBy("seq").execute();
}
