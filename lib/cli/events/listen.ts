/**
 * Listening to events: fetch, forward, acknowledge, and go on after whatever breaks. An event is
 * acknowledged only once it was taken, and the next one waits for that: nothing is lost or overtaken.
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

/** What is listened to, and who gets it. */
interface Listening {
  /** Who takes each event, one after the other. */
  takers: readonly Taker[];
  /** The data folder of the service. */
  data: string | undefined;
  /** Under which name the service keeps the place. */
  name: string;
  /** Only events of these types. */
  types: readonly string[] | undefined;
  /** How many events at most. */
  most: number;
  /** Whether to stop when no event is left. */
  untilIdle: boolean;
  /** How often an event is tried at most. */
  attempts: number;
}

/** Somebody who takes events. */
export interface Taker {
  /** Gives it an event once, and tells of that. */
  take(event: PulledEvent, secret: string, attempt: number): Promise<Taken>;
  /** The error when it was tried often enough. */
  refusal(event: PulledEvent, why: string): ToolkitError;
}

/** What has come of it. */
interface Taken {
  /** Why it was not taken, or null. */
  error: string | null;
  /** How long the taker asks to be left alone, in milliseconds. */
  retryAfterMs?: number | undefined;
}

/** What is told meanwhile. */
export interface Teller {
  /** It has begun. */
  opened(listener: OpenedListener): void;
  /** The service is not there. */
  lost(why: string): void;
  /** The service is there again. */
  found(): void;
}

/** How long the service is to wait for an event, and how long for its answer, in milliseconds. */
const WAIT_MS = 25_000;
const LONGEST_MS = 40_000;

/** How many events are fetched at a time. */
const BATCH = 100;

/**
 * Listens until it is done or stopped. Returns how many events were taken. When nobody reads any more
 * what is told of them, the event in hand is the last.
 *
 * @throws {Cancelled} when nobody reads any more, and the event in hand was not taken.
 * @throws {ApiError} with status 409 when another program has begun to listen under the same name.
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
 * Gives an event to each taker as often as it takes. Whoever has taken it is not asked again, as long
 * as this program runs.
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

/** The way to the service, which is found again whenever it is lost. */
interface Link {
  /** The listener. */
  listener: OpenedListener;
  /** Asks until there is an answer. */
  ask<T>(request: (simulator: Simulator) => Promise<T>): Promise<T>;
}

/** Finds the service. It must be there at first. */
async function openLink(
  context: Context,
  { data, name, types }: Listening,
  teller: Teller,
): Promise<Link> {
  const first = await openSimulator(context, data);
  let simulator: Simulator | undefined = first;
  const listener = await openListener(first, name, { types });
  teller.opened(listener);
  return {
    listener,
    async ask(request) {
      for (let failures = 0;;) {
        // A connection that died in the machine's sleep would else be waited for.
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
          // After a restart it may be somewhere else.
          simulator = undefined;
          if (failures++ === 0) teller.lost(limit.aborted ? "it does not answer" : reason(error));
          await wait(context, backoff(failures));
        }
      }
    },
  };
}

/** Whether a failure may be over soon. */
function passes(error: unknown, limit: AbortSignal): boolean {
  if (error instanceof Cancelled) return limit.aborted;
  if (error instanceof ApiError) return error.status >= 500 || [423, 429].includes(error.status);
  return error instanceof NetworkError;
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** How long to wait after so many failures, in milliseconds: up to ten seconds. */
function backoff(failures: number): number {
  return Math.min(200 * 2 ** (failures - 1), 10_000) * (0.75 + Math.random() / 4);
}

/** Waits before the next try, which there is none of when nobody reads any more. */
async function wait({ around, signal, out }: Context, ms: number): Promise<void> {
  if (out.unread.aborted) throw new Cancelled("Stopped");
  await (around.pause ?? pause)(ms, signal);
}
