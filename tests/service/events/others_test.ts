import { deepEqual, equal } from "node:assert/strict";
import { type Delivery, openDelivery } from "../../../lib/service/events/mod.ts";
import { markEvents, markQueued } from "../../../lib/service/events/queued.ts";
import { createTargets } from "../../../lib/service/outbound/targets.ts";
import type { News, Others } from "../../../lib/service/store/store.ts";
import { openPostOffice, type PostOffice } from "../../support/delivery_fixture.ts";
import { answers, openReceiver } from "../../support/receiver.ts";

/** Deliveries of a process beside the office, on its database. */
interface Neighbour extends AsyncDisposable {
  /** Its deliveries. */
  delivery: Delivery;
  /** Lets it hear something from the office. */
  hear(news: News): Promise<void>;
  /** What it has told. */
  told: News[];
  /** How often it has asked who is alive. */
  asked(): number;
}

/** Opens the deliveries of a process beside an office. Every other process is dead. */
async function openNeighbour(office: PostOffice): Promise<Neighbour> {
  const { store } = office.desk.service;
  const { clock, later } = office.time;
  const told: News[] = [];
  const listeners = new Set<(news: News) => void | Promise<void>>();
  let asked = 0;
  const others: Others = {
    tell: (news) => void told.push(news),
    agree: async (news) => void told.push(news),
    hear(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    exchange: async () => [],
    leads: async () => true,
    skew: () => 0,
    holder: "neighbour",
    async alive() {
      asked++;
      return new Set(["neighbour"]);
    },
  };
  const targets = createTargets("loopback", { time: { clock, later } });
  const report = (error: unknown) => {
    throw error;
  };
  const delivery = await openDelivery({
    store: { ...store, others },
    clock,
    later,
    targets,
    report,
  });
  return {
    delivery,
    told,
    asked: () => asked,
    async hear(news) {
      for (const listener of listeners) await listener(news);
    },
    async [Symbol.asyncDispose]() {
      await delivery.deliverer.stop();
      targets.close();
    },
  };
}

Deno.test("a process delivers and shows what another one tells it of", async () => {
  using receiver = openReceiver();
  // The office leaves deliveries to others.
  await using office = await openPostOffice({ role: "api" });
  await office.subscribe(receiver);
  await using neighbour = await openNeighbour(office);
  const { deliverer, listeners } = neighbour.delivery;
  await deliverer.start();
  await deliverer.idle();
  await office.sim.post("/listeners/default", {});
  const wanted = { project_id: office.desk.projectId, name: "default", limit: 9, wait_ms: 25_000 };
  const pulled = listeners.pull(wanted);
  const id = await office.buy();
  await neighbour.hear("events");
  deepEqual((await pulled).map((event) => event.id), [id]);
  await deliverer.idle();
  deepEqual(receiver.arrived.map(({ event }) => event.id), [id]);
});

Deno.test("a process tells the others of each event, whether or not somebody receives it", async () => {
  await using office = await openPostOffice({ role: "api" });
  await using neighbour = await openNeighbour(office);
  const { store } = neighbour.delivery;
  await store.write(async () => {});
  deepEqual(neighbour.told, []);
  await store.write(async (tx) => markEvents(tx));
  deepEqual(neighbour.told, ["events"]);
  await store.write(async (tx) => markQueued(tx));
  deepEqual(new Set(neighbour.told.slice(1)), new Set(["events"]));
});

Deno.test("processes on one database share injected faults", async () => {
  using receiver = openReceiver();
  await using office = await openPostOffice({ role: "api" });
  const { id: integration_id } = await office.subscribe(receiver);
  const project_id = office.desk.projectId;
  await using first = await openNeighbour(office);
  await first.delivery.faults.add({ project_id, integration_id }, "drop", 2);
  await using second = await openNeighbour(office);
  deepEqual(await second.delivery.faults.list(project_id), [
    { integration_id, fault: "drop", count: 2 },
  ]);
});

Deno.test("a worker that has stopped releases nobody's claims any more", async () => {
  await using office = await openPostOffice({ role: "api" });
  await using neighbour = await openNeighbour(office);
  const { deliverer } = neighbour.delivery;
  await deliverer.freeDead();
  equal(neighbour.asked(), 1);
  await deliverer.stop();
  await deliverer.freeDead();
  equal(neighbour.asked(), 1);
});

Deno.test("a process that is alone on its database does not release its own claims", async () => {
  const answer = Promise.withResolvers<void>();
  using receiver = openReceiver(async (arrived, conn) => {
    await answer.promise;
    await answers(200)(arrived, conn);
  });
  await using office = await openPostOffice();
  const webhook = await office.subscribe(receiver);
  await office.buy();
  await receiver.has(1);
  for (let seconds = 0; seconds < 12; seconds += 3) {
    await office.desk.service.deliverer.freeDead();
    office.time.pass(3000);
  }
  answer.resolve();
  await office.idle();
  equal(receiver.arrived.length, 1);
  deepEqual((await office.deliveries(webhook)).map(({ attempts }) => attempts), [1]);
});
