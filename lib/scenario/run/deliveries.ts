/**
 * The webhook of a scenario: what the service delivers to it, and what steps deliver themselves.
 *
 * @module
 */

import { path } from "../../path.ts";
import { type Bench, eventAt, type Hook, type SeenEvent } from "./bench.ts";
import { noWebhook } from "../deeds/cannot_do.ts";
import type { DeedRequest } from "../deeds/deed.ts";
import { type AnswerFault, faultOf, type MadeUp, makeUp, PLAIN } from "../deeds/made_up.ts";
import type { Webhook } from "../file/scenario.ts";

type Send = <T>(request: DeedRequest) => Promise<T>;

/** Makes the webhook that the service delivers to. */
export async function addWebhook(
  { url, authorization_header, event_types, secret }: Webhook & { readonly url: string },
  project: string,
  send: Send,
): Promise<Hook> {
  const { id, signing_secret: own } = await send<{ id: string; signing_secret?: string }>({
    method: "POST",
    path: path`/integrations/webhooks`,
    body: {
      name: "scenario",
      url,
      event_types: event_types?.map((type) => type.toLowerCase()) ?? ["initial_purchase"],
      authorization_header,
    },
  });
  // Only a change can ask for all types.
  const change = { method: "POST", path: path`/integrations/webhooks/${id}` } as const;
  if (!event_types) await send({ ...change, body: { event_types: null } });
  if (secret !== undefined) {
    const place = path`/_sim/projects/${project}/webhooks/${id}/rotate_secret`;
    await send({ method: "POST", path: place, body: { signing_secret: secret } });
  }
  return { id, url, authorization_header, event_types, secret: secret ?? own ?? "" };
}

/** Lets events wait: the service has no webhook until they are released. */
export async function holdEvents(bench: Bench): Promise<void> {
  const { id } = hookOf(bench);
  if (id !== undefined) {
    await bench.read({ method: "DELETE", path: path`/integrations/webhooks/${id}` });
  }
  bench.webhook = { ...hookOf(bench), id: undefined };
  bench.held = { from: bench.seen.length, delivered: new Set() };
}

/** Delivers the events that wait, in order. Later ones are delivered by the service. */
export async function releaseEvents(bench: Bench): Promise<AnswerFault[]> {
  const { seen, held, stage, read } = bench;
  const hook = hookOf(bench);
  const faults: AnswerFault[] = [];
  for (const event of seen.slice(held?.from ?? seen.length)) {
    if (held?.delivered.has(event.id)) continue;
    if (hook.event_types && !hook.event_types.includes(event.type)) continue;
    const fault = await post(bench, event, PLAIN);
    if (fault) faults.push(fault);
  }
  bench.held = undefined;
  bench.webhook = await addWebhook(hook, stage.project, read);
  return faults;
}

/** Delivers what is made of an event, by its number in the story. Returns what is wrong. */
export async function deliverEvent(
  bench: Bench,
  number: number,
  made: MadeUp,
): Promise<AnswerFault | undefined> {
  hookOf(bench);
  const event = eventAt(bench, number);
  if (made.signed === "right" && made.type === undefined) bench.held?.delivered.add(event.id);
  return await post(bench, event, made);
}

async function post(
  bench: Bench,
  event: SeenEvent,
  made: MadeUp,
): Promise<AnswerFault | undefined> {
  const { url, secret, authorization_header } = hookOf(bench);
  const { id, type, body } = makeUp(event, made, bench.madeUp++);
  const { signed } = made;
  const taken = await bench.stage.post({ url, id, body, secret, signed, authorization_header });
  return faultOf(taken, { what: type, signed });
}

function hookOf({ webhook }: Bench): Hook {
  if (webhook) return webhook;
  throw noWebhook();
}
