/**
 * The stage of a scenario: a service of its own in memory, with ids that a seed pins.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { type Client, createClient } from "../../client.ts";
import { Cancelled } from "../../errors.ts";
import { each, LARGEST_PAGE } from "../../page.ts";
import type { DeedRequest } from "../../scenario/deeds/deed.ts";
import type {
  Answer,
  HandlerAnswer,
  HandlerRequest,
  Stage,
  Undelivered,
} from "../../scenario/run/stage.ts";
import { deepestMessage } from "../../retry.ts";
import { refusedBy } from "../../scenario/run/refused.ts";
import {
  type Delivery,
  type DeliveryState,
  listWebhookDeliveries,
} from "../../simulator/deliveries.ts";
import { beginProject } from "../../simulator/service.ts";
import type { Simulator } from "../../simulator/simulator.ts";
import type { Json } from "../../scenario/values/tree.ts";
import type { Context } from "../context.ts";
import { postSigned } from "./deliver.ts";
import { isHere } from "./hosts.ts";
import { whyUnreached } from "./unreached.ts";

/** How to open a stage. */
interface StageOptions {
  /** The time at which the project begins, in milliseconds since 1970. */
  readonly at: number;
  /** What the ids are made of: the same text, the same ids. */
  readonly seed: string;
  /** Whether events are delivered, for which the service needs the machine's clock. */
  readonly delivers: boolean;
  /** Whether other machines than this one may be asked and delivered to. */
  readonly allowHost: boolean;
  /** The database to begin with, a copy that may be written to. Default: an empty one in memory. */
  readonly database?: string | undefined;
}

/** A stage that must be closed. */
export interface OpenStage extends Stage {
  /** Ends the service. */
  close(): Promise<void>;
}

/** Nothing listens at this address: requests go straight to the service. */
const BASE_URL = "http://127.0.0.1:4010";

/** The longest that deliveries are waited for after a step, in milliseconds. */
const LONGEST_DELIVERY_MS = 10_000;

/** Opens a stage. */
export async function openStage(context: Context, options: StageOptions): Promise<OpenStage> {
  const { openService } = await import("../../service/mod.ts");
  const { around, signal } = context;
  const { at, seed, delivers, allowHost, database = ":memory:" } = options;
  const service = await openService({
    database,
    empty: true,
    // Signatures are as old as they say only by the machine's clock.
    clock: delivers ? () => around.now() : () => at,
    random: seededBytes(seed),
    webhookTargets: allowHost ? "private" : "loopback",
    webhookSchedule: "dev",
  });
  const send = (request: Request) => service.fetch(request);
  const common = { baseUrl: BASE_URL, signal, fetch: send, retries: 0 };
  const admin = createClient({ ...common, credential: service.adminSecret, timeoutMs: 3_600_000 });
  const project = service.projectId ??
    (await beginProject(admin, { name: "Scenario", now: at })).id;
  const { access_token } = await service.oauth.issueToken({});
  const api = createClient({ ...common, credential: access_token, projectId: project });
  return {
    project,
    simulator: { client: admin, project },
    client: api,
    send: (request) => sendTo(request.path.startsWith("/_sim/") ? admin : api, request),
    delivered: (webhook) => deliveredSoon({ client: admin, project }, webhook, context),
    post: (delivery) => postSigned(context, delivery),
    ask: (request) => askHandler(request, context, allowHost),
    pause: (ms) => pauseFor(context, ms),
    async close() {
      service.stopWaiting();
      await service.close();
    },
  };
}

/** Bytes that look random and are the same for the same seed. */
export function seededBytes(seed: string): (count: number) => Uint8Array {
  let block = 0;
  return (count) => {
    const chunks: Uint8Array[] = [];
    for (let got = 0; got < count; got += 32) {
      chunks.push(createHash("sha256").update(`${seed}/${block++}`).digest());
    }
    return new Uint8Array(chunks.flatMap((chunk) => [...chunk])).slice(0, count);
  };
}

/** Sends a request, and returns a refusal as a value. */
async function sendTo(client: Client, request: DeedRequest): Promise<Answer> {
  const { method, path: place, body, query } = request;
  try {
    const options = { query };
    const done = method === "GET"
      ? await client.get<Json>(place, options)
      : method === "DELETE"
      ? await client.delete<Json>(place, options)
      : await client.post<Json>(place, body, options);
    return { done };
  } catch (error) {
    const refused = refusedBy(error);
    if (refused) return { refused };
    throw error;
  }
}

/** Waits until no delivery is on its way. One that fails is tried again for some seconds. */
async function deliveredSoon(
  simulator: Simulator,
  webhook: string,
  context: Context,
): Promise<Undelivered[]> {
  for (let waited = 0;;) {
    if (waited >= LONGEST_DELIVERY_MS || !await isDelivering(simulator, webhook)) {
      return await undeliveredOf(simulator, webhook);
    }
    const wait = waited < 200 ? 10 : 100;
    await pauseFor(context, wait);
    waited += wait;
  }
}

/** The states of deliveries that are on their way. */
const OPEN: readonly DeliveryState[] = ["waiting", "pending", "sending"];

/** Whether a delivery to a webhook is on its way. */
async function isDelivering(simulator: Simulator, webhook: string): Promise<boolean> {
  // The newest ones all at once: between two requests one could go from one state to another.
  const newest = await listWebhookDeliveries(simulator, webhook, { limit: LARGEST_PAGE });
  if (newest.items.some(({ state }) => OPEN.includes(state))) return true;
  if (newest.next_page === null) return false;
  // Of older ones, one that fails goes from "sending" back to "pending", and stays there.
  for (const state of [...OPEN, "pending"] as const) {
    const { items } = await listWebhookDeliveries(simulator, webhook, { state, limit: 1 });
    if (items.length > 0) return true;
  }
  return false;
}

/** The deliveries to a webhook that it did not take, oldest first. */
async function undeliveredOf(simulator: Simulator, webhook: string): Promise<Undelivered[]> {
  const found = new Map<string, Delivery>();
  for (const state of ["dead", ...OPEN, "dead"] as const) {
    const first = listWebhookDeliveries(simulator, webhook, { state, limit: LARGEST_PAGE });
    for await (const one of each(simulator.client, first)) {
      if (state === "dead" || hasFailed(one)) found.set(one.id, one);
    }
  }
  return [...found.values()].sort((one, other) => one.id < other.id ? -1 : 1);
}

/** Whether a delivery was tried. What only waits for an earlier one has no fault of its own. */
function hasFailed({ last_status, last_error }: Undelivered): boolean {
  return last_status !== null || last_error !== null;
}

/** Waits so many milliseconds. */
async function pauseFor({ around, signal }: Context, ms: number): Promise<void> {
  if (around.pause) return await around.pause(ms, signal);
  const { pause } = await import("../../retry.ts");
  await pause(ms, signal);
}

/** The largest answer of a handler that is read, in bytes: 1 MiB. */
const LARGEST_ANSWER = 1_048_576;

/** How long a handler may take for one answer, in milliseconds. */
const HANDLER_TIMEOUT_MS = 10_000;

/** Sends a request to the program under test. */
export async function askHandler(
  { method, url, headers }: HandlerRequest,
  { around, signal }: Context,
  allowHost: boolean,
): Promise<HandlerAnswer & { unreached?: string | undefined }> {
  if (!allowHost && !isHere(url)) {
    const body = `${url} is not on this machine; pass --allow-host`;
    return { status: 0, body, refused: true };
  }
  const send = around.fetch ?? fetch;
  const started = around.now();
  const limit = AbortSignal.any([signal, AbortSignal.timeout(HANDLER_TIMEOUT_MS)]);
  try {
    // A redirect could lead to another machine.
    const request = new Request(url, { method, headers, redirect: "manual", signal: limit });
    const response = await send(request);
    const text = await textUpTo(response, LARGEST_ANSWER);
    const ms = around.now() - started;
    if (text === undefined) return { status: 0, body: "its answer exceeds 1 MiB", ms };
    return { status: response.status, body: jsonOr(text), ms };
  } catch (error) {
    if (signal.aborted) throw new Cancelled("Stopped", { cause: signal.reason });
    const unreached = whyUnreached(error, url);
    const ms = around.now() - started;
    return { status: 0, body: unreached ?? deepestMessage(error), unreached, ms };
  }
}

/** The text of an answer; undefined when it has more bytes than that. The rest is not read. */
async function textUpTo({ body }: Response, most: number): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = "";
  let left = most;
  for await (const part of body ?? []) {
    left -= part.byteLength;
    if (left < 0) return undefined;
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}

function jsonOr(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
