/**
 * Listening to events: fetch, forward, acknowledge, and continue after any failure. An event is
 * acknowledged only after its receivers accepted it, and the next one waits for that: no event is
 * lost or overtaken.
 *
 * @module
 */

import { ApiError, Cancelled, NetworkError, type ToolkitError } from "../../errors.ts";
import { pause } from "../../retry.ts";
import type { Context } from "../context.ts";
import { openSimulator } from "../local/simulator.ts";
import {
  acknowledgeEvent,
  type OpenedListener,
  openListener,
  type PulledEvent,
  pullEvents,
} from "../../simulator/listeners.ts";
import type { Simulator } from "../../simulator/simulator.ts";

/** The options of listening. */
interface Listening {
  /** The receivers of each event, one after the other. */
  takers: readonly Taker[];
  /** The data folder of the service. */
  data: string | undefined;
  /** The name that keeps the position. */
  name: string;
  /** Only events of these types. */
  types: readonly string[] | undefined;
  /** The most events to forward. */
  most: number;
  /** Whether to stop when no event is pending. */
  untilIdle: boolean;
  /** The most attempts of an event. */
  attempts: number;
}

/** A receiver of events. */
export interface Taker {
  /** Sends it an event once, and shows the result. */
  take(event: PulledEvent, secret: string, attempt: number): Promise<Taken>;
  /** The error after the last attempt. */
  refusal(event: PulledEvent, why: string): ToolkitError;
}

/** The result of an attempt. */
interface Taken {
  /** The reason of a failure, or null. */
  error: string | null;
  /** The wait that the receiver asks for, in milliseconds. */
  retryAfterMs?: number | undefined;
}

/** The notes of a run. */
export interface Teller {
  /** It has started. */
  opened(listener: OpenedListener): void;
  /** The service does not answer. */
  lost(why: string): void;
  /** The service answers again. */
  found(): void;
}

/** How long the service waits for an event, and how long for its answer, in milliseconds. */
const WAIT_MS = 25_000;
const LONGEST_MS = 40_000;

/** The number of events per request. */
const BATCH = 100;

/**
 * Listens until it is done or stopped. Returns the number of acknowledged events. When the reader
 * of its output ends, the current event is the last.
 *
 * @throws {Cancelled} when the reader has ended, and the current event was not acknowledged.
 * @throws {ApiError} with status 409 when another program has started to listen under the same
 * name.
 */
export async function listen(
  context: Context,
  listening: Listening,
  teller: Teller,
): Promise<number> {
  const link = await openLink(context, listening, teller);
  const { name, types, most } = listening;
  const { listener } = link;
  const { session } = listener;
  const wait_ms = listening.untilIdle ? 0 : WAIT_MS;
  const query = { types: types?.join(","), wait_ms, session };
  for (let taken = 0;;) {
    if (taken >= most || context.out.unread.aborted) return taken;
    const limit = Math.min(BATCH, most - taken);
    const { items } = await link.ask((simulator) =>
      pullEvents(simulator, name, { ...query, limit })
    );
    if (items.length === 0 && listening.untilIdle) return taken;
    for (const event of items) {
      await bringOver(context, listening, { event, listener });
      await link.ask((simulator) =>
        acknowledgeEvent(simulator, name, { event_id: event.id, session })
      );
      taken++;
      if (context.out.unread.aborted) return taken;
    }
  }
}

/**
 * Sends an event to each receiver until it accepts it. A receiver that accepted it is skipped in
 * retries, as long as this program runs.
 */
async function bringOver(
  context: Context,
  { takers, attempts }: Listening,
  { event, listener }: { event: PulledEvent; listener: OpenedListener },
): Promise<void> {
  for (const taker of takers) {
    for (let attempt = 1;; attempt++) {
      const { error, retryAfterMs } = await taker.take(event, listener.signing_secret, attempt);
      if (error === null) break;
      if (attempt >= attempts) throw taker.refusal(event, error);
      await wait(context, Math.max(backoff(attempt), retryAfterMs ?? 0));
    }
  }
}

/** The connection to the service, which is made again whenever it is lost. */
interface Link {
  /** The listener. */
  listener: OpenedListener;
  /** Retries until there is an answer. */
  ask<T>(request: (simulator: Simulator) => Promise<T>): Promise<T>;
}

/** Finds the service. It must run at the start. */
async function openLink(
  context: Context,
  { data, name, types }: Listening,
  teller: Teller,
): Promise<Link> {
  const first = await openSimulator(context, data);
  let simulator: Simulator | undefined = first;
  const listener = await openListener(first, name, { types });
  teller.opened(listener);
  // A request that waits for events is no slow request.
  context.waits.announced = false;
  return {
    listener,
    async ask(request) {
      for (let failures = 0;;) {
        // Otherwise a connection that died while the machine slept would be waited for.
        const limit = AbortSignal.timeout(LONGEST_MS);
        const signal = AbortSignal.any([context.signal, limit]);
        try {
          simulator ??= await openSimulator(context, data);
          const { client, project } = simulator;
          const answer = await request({ client: client.with({ signal }), project });
          if (failures > 0) teller.found();
          return answer;
        } catch (error) {
          if (context.signal.aborted || !passes(error, limit)) throw error;
          // After a restart it may have another address.
          simulator = undefined;
          if (failures++ === 0) teller.lost(limit.aborted ? "it does not answer" : reason(error));
          await wait(context, backoff(failures));
        }
      }
    },
  };
}

/** Whether a failure may be temporary. */
function passes(error: unknown, limit: AbortSignal): boolean {
  if (error instanceof Cancelled) return limit.aborted;
  if (error instanceof ApiError) return error.status >= 500 || [423, 429].includes(error.status);
  return error instanceof NetworkError;
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The wait after this many failures, in milliseconds: up to ten seconds. */
function backoff(failures: number): number {
  return Math.min(200 * 2 ** (failures - 1), 10_000) * (0.75 + Math.random() / 4);
}

/** Waits before the retry. There is none after the reader has ended. */
async function wait({ around, signal, out }: Context, ms: number): Promise<void> {
  if (out.unread.aborted) throw new Cancelled("Stopped");
  await (around.pause ?? pause)(ms, signal);
}
