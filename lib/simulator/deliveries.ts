/**
 * The deliveries of events to webhooks.
 *
 * @module
 */

import type { Page, PageQuery } from "../page.ts";
import { path } from "../path.ts";
import type { Simulator } from "./simulator.ts";

/** The state of a delivery. */
export type DeliveryState =
  | "waiting"
  | "pending"
  | "sending"
  | "delivered"
  | "dead"
  | "dropped";

/** A delivery of an event to a webhook. */
export interface Delivery {
  /** Always `delivery`. */
  object: "delivery";
  /** Generated id, `dlv…`. */
  id: string;
  /** The integration. */
  webhook_id: string;
  /** The event. */
  event_id: string;
  /** The event's type. */
  event_type: string;
  /** The customer. */
  customer_id: string;
  /** Its state. */
  state: DeliveryState;
  /** The number of attempts. */
  attempts: number;
  /** When the last one was made, in milliseconds since 1970. */
  last_attempt_at: number | null;
  /** The status of the last response. */
  last_status: number | null;
  /** Why the last attempt failed. */
  last_error: string | null;
  /** When the next one is made, in milliseconds since 1970. */
  next_attempt_at: number | null;
  /** When it was over, in milliseconds since 1970. */
  finished_at: number | null;
}

/** The deliveries to list. */
export interface DeliveryQuery extends PageQuery {
  /** Only those in this state. */
  state?: DeliveryState | undefined;
}

/** The response of a receiver. */
export interface AttemptResponse {
  /** The status. */
  status: number | null;
  /** The headers. */
  headers: Record<string, string>;
  /** The beginning of the body. */
  body: string | null;
  /** Whether the body is longer. */
  cut: boolean;
}

/** An attempt of a delivery: request, response and timing. */
export interface DeliveryAttempt {
  /** Always `delivery_attempt`. */
  object: "delivery_attempt";
  /** The delivery. */
  delivery_id: string;
  /** Its number, from 1. */
  number: number;
  /** When it started, in milliseconds since 1970. */
  started_at: number;
  /** The URL. */
  url: string;
  /** The address that it was sent to, once there was a connection. */
  address: string | null;
  /** The request. */
  request: {
    /** The headers. */
    headers: Record<string, string>;
    /** The body. */
    body: string;
  };
  /** The response; null without one. */
  response: AttemptResponse | null;
  /** Why it failed; null: it did not. */
  error: string | null;
  /** The durations of the parts, in milliseconds. */
  timing_ms: Record<string, number>;
  /** When the next attempt is made, in milliseconds since 1970. */
  next_attempt_at: number | null;
}

/**
 * Lists the deliveries to a webhook integration, newest first.
 * `GET /_sim/projects/{project_id}/webhooks/{id}/deliveries`
 */
export function listWebhookDeliveries(
  { client, project }: Simulator,
  id: string,
  query: DeliveryQuery = {},
): Promise<Page<Delivery>> {
  return client.get(path`/_sim/projects/${project}/webhooks/${id}/deliveries`, { query });
}

/** Reads one delivery. `GET /_sim/projects/{project_id}/deliveries/{id}` */
export function getDelivery({ client, project }: Simulator, id: string): Promise<Delivery> {
  return client.get(path`/_sim/projects/${project}/deliveries/${id}`);
}

/**
 * Lists the attempts of a delivery, oldest first.
 * `GET /_sim/projects/{project_id}/deliveries/{id}/attempts`
 */
export function listDeliveryAttempts(
  { client, project }: Simulator,
  id: string,
): Promise<Page<DeliveryAttempt>> {
  return client.get(path`/_sim/projects/${project}/deliveries/${id}/attempts`);
}
