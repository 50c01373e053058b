/**
 * Listeners, which pull events: a listener of any name gets its unacknowledged events in order.
 *
 * @module
 */

import type { Page } from "../page.ts";
import { path } from "../path.ts";
import type { Items, Simulator } from "./simulator.ts";

/** A listener. */
export interface Listener {
  /** Always `listener`. */
  object: "listener";
  /** Its name. */
  name: string;
  /** When it was created, in milliseconds since 1970. */
  created_at: number;
  /** The number of its unacknowledged events. */
  waiting: number;
}

/** A listener that a program has opened. */
export interface OpenedListener extends Listener {
  /** The signing secret of its events. */
  signing_secret: string;
  /** The program's session. */
  session: string;
  /** Whether the listener is new. */
  is_new: boolean;
}

/** The signing secret of a listener. */
export interface ListenerSecret {
  /** Always `listener_secret`. */
  object: "listener_secret";
  /** The listener's name. */
  name: string;
  /** The secret. */
  signing_secret: string;
}

/** A deleted listener. */
export interface DeletedListener {
  /** Always `listener`. */
  object: "listener";
  /** Its name. */
  name: string;
  /** When it was deleted, in milliseconds since 1970. */
  deleted_at: number;
}

/** The events for a listener. */
export interface ListenerTypes {
  /** Types of events. Default: all. */
  types?: readonly string[] | undefined;
}

/** The events to pull. */
export interface PullQuery {
  /** The most events, 1 to 100. Default 20. */
  limit?: number | undefined;
  /** The wait for an event, in milliseconds. Default 0. */
  wait_ms?: number | undefined;
  /** Types, separated by commas. Default: all. */
  types?: string | undefined;
  /** The program's session. */
  session?: string | undefined;
}

/** An event for a listener. */
export interface PulledEvent {
  /** Always `event`. */
  object: "event";
  /** Its id. */
  id: string;
  /** Its type. */
  type: string;
  /** The customer. */
  customer_id: string;
  /** When it happened, in milliseconds since 1970. */
  created_at: number;
  /** The body for webhooks, as text. */
  payload: string;
}

/** Pulled events. */
export interface PulledEvents extends Items<PulledEvent> {
  /** Always `list`. */
  object: "list";
}

/** The acknowledged event. */
export interface Acknowledgement extends ListenerTypes {
  /** The event's id. */
  event_id: string;
  /** The program's session. */
  session?: string | undefined;
}

/**
 * Starts to listen, and replaces a program with the same name.
 * `POST /_sim/projects/{project_id}/listeners/{name}`
 */
export function openListener(
  { client, project }: Simulator,
  name: string,
  body: ListenerTypes = {},
): Promise<OpenedListener> {
  return client.post(path`/_sim/projects/${project}/listeners/${name}`, body);
}

/** Lists the listeners, by name. `GET /_sim/projects/{project_id}/listeners` */
export function listListeners({ client, project }: Simulator): Promise<Page<Listener>> {
  return client.get(path`/_sim/projects/${project}/listeners`);
}

/**
 * Deletes a listener and its position. Its current session ends.
 * `DELETE /_sim/projects/{project_id}/listeners/{name}`
 */
export function deleteListener(
  { client, project }: Simulator,
  name: string,
): Promise<DeletedListener> {
  return client.delete(path`/_sim/projects/${project}/listeners/${name}`);
}

/**
 * Reads the signing secret of a listener.
 * `GET /_sim/projects/{project_id}/listeners/{name}/secret`
 */
export function getListenerSecret(
  { client, project }: Simulator,
  name: string,
): Promise<ListenerSecret> {
  return client.get(path`/_sim/projects/${project}/listeners/${name}/secret`);
}

/**
 * Creates a new signing secret for a listener. The current session keeps the old one.
 * `POST /_sim/projects/{project_id}/listeners/{name}/rotate_secret`
 */
export function rotateListenerSecret(
  { client, project }: Simulator,
  name: string,
): Promise<ListenerSecret> {
  return client.post(path`/_sim/projects/${project}/listeners/${name}/rotate_secret`);
}

/**
 * Reads a listener's next unacknowledged events, and can wait for them.
 * `GET /_sim/projects/{project_id}/listeners/{name}/events`
 */
export function pullEvents(
  { client, project }: Simulator,
  name: string,
  query: PullQuery = {},
): Promise<PulledEvents> {
  return client.get(path`/_sim/projects/${project}/listeners/${name}/events`, { query });
}

/**
 * Acknowledges an event of a listener and all events before it.
 * `POST /_sim/projects/{project_id}/listeners/{name}/ack`
 */
export function acknowledgeEvent(
  { client, project }: Simulator,
  name: string,
  body: Acknowledgement,
): Promise<Listener> {
  return client.post(path`/_sim/projects/${project}/listeners/${name}/ack`, body);
}
