/**
 * Fetching events instead of being sent them: a listener of any name gets what it has not
 * acknowledged, in order.
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
  /** How many events it has not acknowledged. */
  waiting: number;
}

/** A listener that a program has begun to use. */
export interface OpenedListener extends Listener {
  /** The secret that its events are signed with. */
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

/** A listener that was deleted. */
export interface DeletedListener {
  /** Always `listener`. */
  object: "listener";
  /** Its name. */
  name: string;
  /** When it was deleted, in milliseconds since 1970. */
  deleted_at: number;
}

/** Which events a listener gets. */
export interface ListenerTypes {
  /** Types of events. Default: all. */
  types?: readonly string[] | undefined;
}

/** The events to fetch. */
export interface PullQuery {
  /** At most so many, 1 to 100. Default 20. */
  limit?: number | undefined;
  /** How long to wait for an event, in milliseconds. Default 0. */
  wait_ms?: number | undefined;
  /** Types, separated by commas. Default: all. */
  types?: string | undefined;
  /** The program's session. */
  session?: string | undefined;
}

/** An event, as listeners get it. */
export interface PulledEvent {
  /** Always `event`. */
  object: "event";
  /** Its id. */
  id: string;
  /** Its type. */
  type: string;
  /** Whose event it is. */
  customer_id: string;
  /** When it happened, in milliseconds since 1970. */
  created_at: number;
  /** The body that webhooks get, as text. */
  payload: string;
}

/** Events that were fetched. */
export interface PulledEvents extends Items<PulledEvent> {
  /** Always `list`. */
  object: "list";
}

/** Which event was taken. */
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
