/**
 * What people do: they come, buy, cancel, change their mind, do not pay, share, want their money back.
 * All of it goes through the rules of subscriptions, as what the simulator is told to do.
 *
 * @module
 */

import {
  agreeToPrice,
  cancel,
  failNext,
  pause,
  raisePrice,
  recover,
  resume,
  uncancel,
} from "../../domain/actions.ts";
import { addDuration, DAY_MS } from "../../domain/calendar.ts";
import { share } from "../../domain/family.ts";
import { convertPrice, payable } from "../../domain/money.ts";
import { changeAtEnd, changeNow, checkChangeable } from "../../domain/product_change.ts";
import { refund, reverseRefund } from "../../domain/refunds.ts";
import type { Subscription } from "../../domain/step.ts";
import { derivedHex, isAble } from "../../domain/stores.ts";
import { USUAL_DURATION } from "../../domain/subscription.ts";
import { stepsOf } from "../../ledger/batches.ts";
import { type Chance, chanceOf } from "./chance.ts";
import { arrive, buy, buyAgain, refundOnce, subscribeAgain } from "./sales.ts";
import { monthsIn, plan, type Stage } from "./stage.ts";
import {
  AGREES,
  CHANGES,
  FAILS,
  PAUSES,
  RAISES,
  RECOVERS,
  REFUNDS,
  REVERSES,
  SHARES,
  UNCANCELS,
} from "./kinds.ts";
import type { Item } from "./world.ts";

type Deed = (stage: Stage, item: Item) => Promise<void> | void;

/** What is done for each kind of item. */
export const ACTS: Readonly<Record<Item["act"], Deed>> = {
  arrive,
  buy,
  again: buyAgain,
  return: subscribeAgain,
  consider,
  uncancel: (stage, item) => change(stage, item, uncancel),
  recover: (stage, item) => change(stage, item, recover),
  resume: (stage, item) => change(stage, item, resume),
  agree: (stage, item) => change(stage, item, agreeToPrice),
  reverse,
  refund_purchase: refundOnce,
  async due(stage, item) {
    const state = stage.current(item.subject);
    // Something else has happened to it meanwhile.
    if (state?.due_at !== item.at) return;
    await stage.record(item, await stepsOf(state, stage.journal));
  },
};

/** Does something to a subscription. */
async function change(
  stage: Stage,
  item: Item,
  act: (state: Subscription, at: number) => Parameters<Stage["record"]>[1],
): Promise<void> {
  const state = stage.current(item.subject);
  if (state) await stage.record(item, act(state, item.at));
}

/** What a subscriber does in a period: most of them nothing. */
async function consider(stage: Stage, item: Item): Promise<void> {
  const state = stage.current(item.subject);
  if (!state || state.auto_renewal_status !== "will_renew" || state.charge_fails === 1) return;
  const chance = chanceOf(item.key);
  const { habits } = stage.world;
  if (state.status === "trialing") {
    if (chance.happens(habits.leavesTrial)) {
      await stage.record(item, cancel(state, item.at, LEAVES));
    } else if (chance.happens(FAILS)) await failToPay(stage, item, state, chance);
    return;
  }
  if (state.status !== "active") return;
  const stays = (1 - habits.churn) ** Math.min(monthsIn(state.duration), MOST_MONTHS_OF_CHURN);
  if (!chance.happens(stays)) return await leave(stage, item, state, chance);
  for (const [probability, act] of WHIMS) {
    if (chance.happens(probability)) return await act(stage, item, state, chance);
  }
}

const LEAVES = "UNSUBSCRIBE";

/** Those who pay for a year ahead leave less than twelve months of churn would say. */
const MOST_MONTHS_OF_CHURN = 6;

type Whim = (stage: Stage, item: Item, state: Subscription, chance: Chance) => Promise<void>;

/** What subscribers do besides leaving, with its probability in a period. */
const WHIMS: readonly (readonly [number, Whim])[] = [
  [FAILS, failToPay],
  [REFUNDS, wantMoneyBack],
  [PAUSES, takePause],
  [CHANGES, changeProduct],
  [SHARES, shareWithFamily],
  [RAISES, meetHigherPrice],
];

/** Cancels. Some of them change their mind before the end. */
async function leave(
  stage: Stage,
  item: Item,
  state: Subscription,
  chance: Chance,
): Promise<void> {
  await stage.record(item, cancel(state, item.at, LEAVES));
  if (!chance.happens(UNCANCELS) || !isAble(state.store, "uncancel")) return;
  plan(stage, item, "uncancel", chance.between(0, 4) * DAY_MS, state.id);
}

/** The next charge fails. Most of them go through in the end. */
async function failToPay(
  stage: Stage,
  item: Item,
  state: Subscription,
  chance: Chance,
): Promise<void> {
  await stage.record(item, failNext(state, item.at, state.grace_duration));
  if (!chance.happens(RECOVERS)) return;
  const end = state.period_ends_at ?? item.at;
  plan(stage, item, "recover", end - item.at + chance.between(0.1, 14) * DAY_MS, state.id);
}

/** Wants the latest payment back. */
async function wantMoneyBack(
  stage: Stage,
  item: Item,
  state: Subscription,
  chance: Chance,
): Promise<void> {
  const payment = await stage.journal.payment(state.transaction_id);
  if (!payment) return;
  await stage.record(item, refund(state, item.at, payment, chance.happens(0.8)));
  if (!chance.happens(REVERSES) || !isAble(state.store, "reverse_refund")) return;
  plan(stage, item, "reverse", chance.between(2, 10) * DAY_MS, state.id);
}

async function reverse(stage: Stage, item: Item): Promise<void> {
  const state = stage.current(item.subject);
  const payment = state && await stage.journal.payment(state.transaction_id);
  if (state && payment) await stage.record(item, reverseRefund(state, item.at, payment));
}

/** Pauses for a month or two. Some of them go on earlier. */
async function takePause(
  stage: Stage,
  item: Item,
  state: Subscription,
  chance: Chance,
): Promise<void> {
  if (!isAble(state.store, "pause")) return;
  const end = state.period_ends_at ?? item.at;
  const until = addDuration(end, "P1M", chance.happens(0.7) ? 1 : 2);
  await stage.record(item, pause(state, item.at, until));
  if (!chance.happens(0.3)) return;
  plan(stage, item, "resume", end - item.at + chance.between(1, 25) * DAY_MS, state.id);
}

/** Changes to another product of the app, now or at the end of the period. */
async function changeProduct(
  stage: Stage,
  item: Item,
  state: Subscription,
  chance: Chance,
): Promise<void> {
  const { subscriptions } = stage.person(item.person).shop;
  const others = subscriptions.filter(({ id }) => id !== state.product_id);
  if (others.length === 0 || !isAble(state.store, "change_product")) return;
  checkChangeable(state);
  const product = chance.pick(others.map((other) => [other, 1] as const));
  const terms = {
    product_id: product.id,
    duration: product.duration ?? USUAL_DURATION,
    grace_duration: product.grace_period_duration,
    price_micros: convertPrice(
      product.price_micros ?? 0,
      product.price_currency ?? "USD",
      state.currency,
    ),
  };
  const act = chance.happens(0.5) ? changeNow : changeAtEnd;
  await stage.record(item, act(state, item.at, terms));
}

async function shareWithFamily(
  stage: Stage,
  item: Item,
  state: Subscription,
): Promise<void> {
  if (!isAble(state.store, "family_share")) return;
  const customer_id = stage.takeIdle();
  if (customer_id === undefined) return;
  const text = `population/${stage.world.wanted.seed}/${customer_id}/share`;
  const member = { id: `sub${derivedHex(text, 10)}`, customer_id };
  await stage.record(item, share(state, item.at, member));
}

/** The price rises by a fifth. Who does not agree loses the subscription at the end. */
async function meetHigherPrice(
  stage: Stage,
  item: Item,
  state: Subscription,
  chance: Chance,
): Promise<void> {
  const price = payable(state.price_micros * 1.2, state.currency);
  await stage.record(item, raisePrice(state, item.at, price));
  if (!chance.happens(AGREES)) return;
  const wait = chance.next() * ((state.period_ends_at ?? item.at) - item.at);
  plan(stage, item, "agree", wait, state.id);
}
