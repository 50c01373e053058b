/**
 * The events of a project, and making them.
 *
 * @module
 */

import type { Page, PageQuery } from "../page.ts";
import { path } from "../path.ts";
import type { Delivery } from "./deliveries.ts";
import type { Simulator } from "./simulator.ts";

/** An event, with the body that is delivered. */
export interface LoggedEvent {
  /** Always `event`. */
  object: "event";
  /** Its id. */
  id: string;
  /** Its type, such as `RENEWAL`. */
  type: string;
  /** The customer. */
  customer_id: string;
  /** The app that it is about; null: none. */
  app_id: string | null;
  /** Whether money was real: `production` or `sandbox`. */
  environment: string;
  /** When it happened, in milliseconds since 1970. */
  created_at: number;
  /** The body that webhooks get. */
  delivery: unknown;
}

/** The events to list, and their order. */
export interface EventQuery extends PageQuery {
  /** Types, separated by commas. */
  type?: string | undefined;
  /** Only those of this customer. */
  customer_id?: string | undefined;
  /** Oldest first, or newest. Default: `asc`. */
  order?: "asc" | "desc" | undefined;
}

/** The integration for a resent event. */
export interface EventResend {
  /** The integration's id. Default: all that had it or match it. */
  webhook_id?: string | undefined;
}

/** The events to resend. */
export interface EventRecovery extends EventResend {
  /** The earliest, in milliseconds since 1970. */
  since: number;
  /** The latest, in milliseconds since 1970. */
  until?: number | undefined;
}

/** The result of a recovery. */
export interface RecoveredEvents {
  /** Always `recovery`. */
  object: "recovery";
  /** The number of queued deliveries. */
  deliveries: number;
}

/** An event to make. */
export interface EventTrigger {
  /** Its type. */
  type: string;
  /** The customer. Default: a new one. */
  customer_id?: string | undefined;
  /** Overrides of the steps, such as `purchase.price`. */
  overrides?: Record<string, unknown> | undefined;
}

/** Lists events, oldest first unless the order is desc. `GET /_sim/projects/{project_id}/events` */
export function listEvents(
  { client, project }: Simulator,
  query: EventQuery = {},
): Promise<Page<LoggedEvent>> {
  return client.get(path`/_sim/projects/${project}/events`, { query });
}

/** Reads one event. `GET /_sim/projects/{project_id}/events/{id}` */
export function getEvent({ client, project }: Simulator, id: string): Promise<LoggedEvent> {
  return client.get(path`/_sim/projects/${project}/events/${id}`);
}

/** Lists the deliveries of an event. `GET /_sim/projects/{project_id}/events/{id}/deliveries` */
export function listEventDeliveries(
  { client, project }: Simulator,
  id: string,
): Promise<Page<Delivery>> {
  return client.get(path`/_sim/projects/${project}/events/${id}/deliveries`);
}

/**
 * Resends an event to one integration or to all matching integrations.
 * `POST /_sim/projects/{project_id}/events/{id}/resend`
 */
export function resendEvent(
  { client, project }: Simulator,
  id: string,
  body: EventResend = {},
): Promise<Page<Delivery>> {
  return client.post(path`/_sim/projects/${project}/events/${id}/resend`, body);
}

/**
 * Resends the undelivered events of an integration since a time.
 * `POST /_sim/projects/{project_id}/events/recover`
 */
export function recoverEvents(
  { client, project }: Simulator,
  body: EventRecovery,
): Promise<RecoveredEvents> {
  return client.post(path`/_sim/projects/${project}/events/recover`, body);
}

/**
 * Triggers an event of a type, for a customer or a new one.
 * `POST /_sim/projects/{project_id}/trigger`
 */
export function triggerEvent(
  { client, project }: Simulator,
  body: EventTrigger,
): Promise<LoggedEvent> {
  return client.post(path`/_sim/projects/${project}/trigger`, body);
}
