import { deepEqual, equal } from "node:assert/strict";
import {
  purchase,
  refundPurchase,
  reversePurchaseRefund,
} from "../../../lib/service/domain/purchase.ts";
import { refund, reverseRefund } from "../../../lib/service/domain/refunds.ts";
import { stepsOf } from "../../../lib/service/ledger/batches.ts";
import { MANY_EVENTS } from "../../../lib/service/ledger/history.ts";
import { openJournal } from "../../../lib/service/ledger/journal.ts";
import { newId } from "../../../lib/service/records/ids.ts";
import { newUuid } from "../../../lib/service/records/random.ts";
import { beginWorld } from "../../../lib/service/sim/people/begin.ts";
import { playBatch } from "../../../lib/service/sim/people/play.ts";
import type { Item } from "../../../lib/service/sim/people/world.ts";
import { inProject } from "../../../lib/service/store/mod.ts";
import { frozen } from "../../support/activities.ts";
import { type Desk, openDesk } from "../../support/harness.ts";
import { checkSums } from "../../support/ledger_sums.ts";
import { DAY } from "../../support/simulation.ts";

/** An event without a step. */
const EVENT = {
  type: "TRANSFER",
  customer_id: "ada",
  app_id: null,
  environment: "production",
  created_at: 0,
  payload: "{}",
} as const;

/** Opens a journal at the project's time, writes it after some records, and returns their result. */
async function inJournal<T>(
  { service }: Desk,
  run: (journal: Awaited<ReturnType<typeof openJournal>>) => Promise<T>,
): Promise<T> {
  const id = service.projectId ?? "";
  return await service.store.write(async (whole) => {
    const tx = inProject(whole, id);
    const project = await tx.selectFrom("projects").selectAll().executeTakeFirstOrThrow();
    const journal = await openJournal({ tx, project });
    const result = await run(journal);
    await journal.write();
    return result;
  }, id);
}

Deno.test("what happens twice to a purchase in one batch of a population is booked once", async () => {
  await using desk = await openDesk();
  const { service: { store, projectId = "" } } = desk;
  const sim = await frozen(desk);
  const { id } = await sim.purchase({ customer_id: "ada", product_id: "notes.pro.lifetime" });
  const bought = await sim.now();
  await sim.advance(30 * DAY);
  const now = await sim.now();
  const act = (number: number, days: number): Item => {
    const at = bought + days * DAY;
    return { at, number, act: "refund_purchase", person: 0, key: number, subject: id };
  };
  await store.write(async (whole) => {
    const wanted = { customers: 1, months: 1, seed: 1, confirmed: true };
    const begun = { wanted, latest: undefined, wall: now, player: "test" };
    const world = await beginWorld(whole, projectId, begun);
    const place = { tx: inProject(whole, projectId), project: world.project };
    // Whatever follows from them would be after the end.
    const span = { ...world.span, to: bought };
    const items = [act(1, 5), act(2, 12)];
    await playBatch(place, { ...world, span }, { items, until: bought + 12 * DAY });
  }, projectId);
  await desk.service.catchUp();
  const rows = await sim.rows("movements");
  deepEqual(
    rows.flatMap(({ purchase_id, kind, at }) => purchase_id === id ? [[kind, at - bought]] : []),
    [["purchase", 0], ["refund", 5 * DAY], ["refund_reversal", 12 * DAY]],
  );
  equal((await sim.rows("purchases")).find((row) => row.id === id)?.status, "owned");
  await checkSums(store, now);
});

Deno.test("a journal shows purchases and payments as it will write them", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const held = await sim.subscribe({ customer_id: "ada", product_id: "notes.pro.monthly" });
  const owned = await sim.purchase({ customer_id: "ada", product_id: "notes.pro.lifetime" });
  const [state] = (await sim.rows("subscriptions")).filter(({ id }) => id === held.id);
  const now = await sim.now();
  const shown = await inJournal(desk, async (journal) => {
    const payment = async () => {
      const found = await journal.payment(state?.transaction_id ?? "");
      if (!found) throw new Error("There is no payment");
      return found;
    };
    const bought = async (id: string) => {
      const found = await journal.purchase(id);
      if (!found) throw new Error("There is no purchase");
      return found;
    };
    equal(await journal.purchase("purc0"), undefined);
    equal(await journal.payment("0"), undefined);
    if (!state) throw new Error("There is no subscription");
    const after = await journal.record(refund(state, now + 1, await payment(), false));
    deepEqual([(await payment()).status, (await payment()).refunded_at], ["refunded", now + 1]);
    await journal.record(reverseRefund(after, now + 2, await payment()));
    await journal.recordPurchase(refundPurchase(await bought(owned.id), now + 1));
    equal((await bought(owned.id)).status, "refunded");
    await journal.recordPurchase(reversePurchaseRefund(await bought(owned.id), now + 2));
    await journal.recordPurchase(refundPurchase(await bought(owned.id), now + 3));
    const other = { id: "purc00000again", transaction_id: "again", price_micros: 5_000_000 };
    const sale = { ...await bought(owned.id), ...other };
    await journal.recordPurchase(purchase(sale, now + 3));
    await journal.recordPurchase(refundPurchase(await bought("purc00000again"), now + 4));
    const [renewal] = await stepsOf({ ...after, due_at: after.period_ends_at }, journal);
    if (!renewal) throw new Error("Nothing is due");
    const renewed = await journal.record(renewal);
    const next = await journal.payment(renewed.transaction_id);
    return [await payment(), next, await bought(owned.id), await bought("purc00000again")];
  });
  const stored = [...await sim.rows("transactions"), ...await sim.rows("purchases")];
  deepEqual(shown.map((one) => stored.find(({ id }) => id === one?.id)), shown);
  deepEqual(
    shown.map((one) => one?.status),
    ["completed", "completed", "refunded", "refunded"],
  );
});

/** The statements that a journal with so many events has on their way before it writes. */
async function begunWith(
  desk: Desk,
  { events, isAlone, hasArrays }: { events: number; isAlone: boolean; hasArrays: boolean },
): Promise<number> {
  const { service: { store }, projectId } = desk;
  return await store.write(async (whole) => {
    let sent = 0;
    const arrays = hasArrays ? { typeOf: () => undefined, value: () => undefined } : undefined;
    const noted: typeof whole = {
      ...whole,
      arrays,
      runWritten(query) {
        if (query.sql.startsWith("insert")) sent++;
        return whole.runWritten(query);
      },
    };
    const tx = inProject(noted, projectId);
    const project = await tx.selectFrom("projects").selectAll().executeTakeFirstOrThrow();
    const journal = await openJournal({ tx, project });
    if (!isAlone) {
      const [bought] = await tx.selectFrom("purchases").selectAll().execute();
      if (!bought) throw new Error("There is no purchase");
      const other = { id: newId("purchase"), transaction_id: newUuid(), price_micros: 5_000_000 };
      await journal.recordPurchase(purchase({ ...bought, ...other }, project.created_at));
    }
    for (let i = 0; i < events; i++) journal.addEvent({ ...EVENT, id: newUuid() });
    sent = 0;
    await journal.begin();
    const begun = sent;
    await journal.write();
    return begun;
  }, projectId);
}

Deno.test("a journal begins to write many events, unless something new comes before them", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  await sim.purchase({ customer_id: "ada", product_id: "notes.pro.lifetime" });
  const all = { events: MANY_EVENTS, isAlone: true, hasArrays: true };
  equal(await begunWith(desk, all) > 0, true);
  equal(await begunWith(desk, { ...all, events: MANY_EVENTS - 1 }), 0);
  equal(await begunWith(desk, { ...all, events: MANY_EVENTS + 1, isAlone: false }), 0);
  equal(await begunWith(desk, { ...all, hasArrays: false }), 0);
});
