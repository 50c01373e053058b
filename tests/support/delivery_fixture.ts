/**
 * A desk with receivers around it, and time in the hands of the test.
 *
 * @module
 */

import { equal, ok } from "node:assert/strict";
import { createWebhook, type NewWebhook, type Webhook } from "../../lib/resources/webhooks.ts";
import { type Desk, type DeskOptions, openDesk } from "./harness.ts";
import type { Receiver } from "./receiver.ts";
import { simulate, type Simulation } from "./simulation.ts";
import { openTime, type VirtualTime } from "./virtual_time.ts";

/** A minute in milliseconds. */
export const MINUTE = 60_000;

/** A delivery as the service shows it. */
export interface ShownDelivery {
  /** Its id. */
  id: string;
  /** Its event. */
  event_id: string;
  /** Its state. */
  state: string;
  /** The number of attempts. */
  attempts: number;
  /** The status of the last answer. */
  last_status: number | null;
  /** Why the last attempt failed. */
  last_error: string | null;
  /** When it is tried again. */
  next_attempt_at: number | null;
}

/** An attempt as the service shows it. */
export interface ShownAttempt {
  /** Which it is, from 1. */
  number: number;
  /** When it began. */
  started_at: number;
  /** The URL. */
  address: string | null;
  /** The request. */
  request: { headers: Record<string, string>; body: string };
  /** The response. */
  response: {
    status: number;
    headers: Record<string, string>;
    body: string;
    cut: boolean;
  } | null;
  /** Why it failed. */
  error: string | null;
  /** The durations of its parts. */
  timing_ms: Record<string, number>;
  /** When the next is due. */
  next_attempt_at: number | null;
}

/** The desk, the simulator, and what becomes of events. */
export interface PostOffice extends AsyncDisposable {
  /** The desk. */
  readonly desk: Desk;
  /** The simulator. */
  readonly sim: Simulation;
  /** Wall time. */
  readonly time: VirtualTime;
  /** Makes a webhook that goes to a receiver and gets everything. */
  subscribe(receiver: Pick<Receiver, "url">, more?: Partial<NewWebhook>): Promise<Webhook>;
  /** Makes a one-time purchase, which is one event. Returns the event's id. */
  buy(customer?: string, more?: Record<string, unknown>): Promise<string>;
  /** Waits until no delivery is in progress. */
  idle(): Promise<void>;
  /** Reads below the simulator. */
  get<T>(path: string): Promise<T>;
  /** The deliveries to a webhook, oldest first. */
  deliveries(webhook: Webhook): Promise<ShownDelivery[]>;
  /** The attempts of a delivery. */
  attempts(delivery: ShownDelivery | undefined): Promise<ShownAttempt[]>;
}

/** Whether a delivery waits as long as it must, and at most a tenth longer. */
export function checkWait(delivery: ShownDelivery | undefined, since: number, least: number): void {
  const wait = (delivery?.next_attempt_at ?? 0) - since;
  ok(wait >= least && wait <= least * 1.1, `${wait / MINUTE} minutes`);
}

/** Opens a post office. */
export async function openPostOffice(options: DeskOptions = {}): Promise<PostOffice> {
  const time = openTime();
  const desk = await openDesk({
    webhookTargets: "loopback",
    clock: time.clock,
    later: time.later,
    buyers: false,
    ...options,
  });
  const sim = simulate(desk);
  const get = async <T>(path: string): Promise<T> => {
    const response = await sim.send("GET", path);
    equal(response.status, 200, path);
    return await response.json();
  };
  const items = async <T>(path: string) => (await get<{ items: T[] }>(path)).items;
  return {
    desk,
    sim,
    time,
    get,
    async subscribe(receiver, more) {
      const webhook = await createWebhook(desk.client, {
        name: "All",
        url: receiver.url,
        event_types: ["initial_purchase"],
        ...more,
      });
      if (more?.event_types) return webhook;
      const path = `/v2/projects/${desk.projectId}/integrations/webhooks/${webhook.id}`;
      equal((await desk.send("POST", path, { event_types: null })).status, 200);
      return webhook;
    },
    async buy(customer = "ada", more = {}) {
      const product_id = "notes.pro.lifetime";
      await sim.purchase({ product_id, price: 99, customer_id: customer, ...more });
      return (await sim.rows("events")).at(-1)?.id ?? "";
    },
    idle: () => desk.service.deliverer.idle(),
    deliveries: async ({ id }) =>
      (await items<ShownDelivery>(`/webhooks/${id}/deliveries?limit=100`)).reverse(),
    attempts: async (delivery) => await items(`/deliveries/${delivery?.id}/attempts`),
    [Symbol.asyncDispose]: () => desk[Symbol.asyncDispose](),
  };
}
