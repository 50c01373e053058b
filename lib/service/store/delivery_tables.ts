/**
 * The rows of webhooks: who gets events, which event is on its way to whom, and each attempt.
 * Conventions are those of `tables.ts`; times here are wall time.
 *
 * @module
 */

import type { Generated } from "kysely";

/** A webhook integration. `event_types` is a JSON array, or null for all. */
interface WebhookIntegrationRow {
  project_id: string;
  id: string;
  seq: number;
  name: string;
  url: string;
  event_types: string | null;
  authorization_header: string | null;
  environment: string | null;
  app_id: string | null;
  signing_secret: string;
  created_at: number;
  /** The secret before this one, which still signs until `previous_secret_until`. */
  previous_secret: Generated<string | null>;
  previous_secret_until: Generated<number | null>;
  /** When its receiver said that it is gone. It gets nothing until it is changed. */
  disabled_at: Generated<number | null>;
  /** The highest `seq` of a delivery that was removed for its age. */
  pruned_seq: Generated<number>;
}

/**
 * Where a delivery stands. `dead` is given up, `dropped` was lost on purpose; both can be sent again.
 */
export type DeliveryState = "pending" | "delivered" | "dead" | "dropped";

/** An event on its way to an integration. */
interface DeliveryRow {
  project_id: string;
  id: string;
  /** Its place among the integration's deliveries: the event's own, or a later one when sent again. */
  seq: number;
  integration_id: string;
  event_id: string;
  /** The event's customer. Those of one customer go one after the other. */
  customer_id: string;
  state: Generated<DeliveryState>;
  /** Attempts since it was last begun. */
  tries: Generated<number>;
  /** All attempts. */
  attempts: Generated<number>;
  /** When the next attempt is due; null while another one goes first, or when it is over. */
  ready_at: number | null;
  /** Who is at it now. `ready_at` is then the time at which others may take over. */
  lease: Generated<string | null>;
  /** When the present lease began, or the last one. */
  leased_at: Generated<number | null>;
  /** 1: it is tried once and then given up, as nobody waits for it any more. */
  once: Generated<number>;
  finished_at: Generated<number | null>;
  /** What is sent, where the event itself has lost its personal attributes since; else null. */
  payload: Generated<string | null>;
}

/** One request to a receiver, and what came of it. */
interface AttemptRow {
  project_id: string;
  delivery_id: string;
  /** Counts up from 1. */
  number: number;
  started_at: number;
  url: string;
  /** The address that the URL led to, or null where it came to none. */
  address: string | null;
  /** JSON object of headers. The configured `Authorization` is left out. */
  request_headers: string;
  status: number | null;
  /** JSON object of headers, or null without an answer. */
  response_headers: string | null;
  /** The beginning of the body. */
  response_body: string | null;
  /** 1: there was more. */
  response_cut: number;
  /** Why it failed; null for a success. */
  error: string | null;
  /** JSON object of milliseconds per step. */
  timing: string;
  /** When the next attempt is due, or null when there is none. */
  next_attempt_at: number | null;
}

/** A program that fetches events by itself, and how far it has got. */
interface ListenerRow {
  project_id: string;
  name: string;
  /** The `seq` of the last event that it has dealt with. */
  acknowledged: number;
  /** What its deliveries are signed with. */
  secret: string;
  created_at: number;
  /** Which of several programs of this name gets events: the one that came last. */
  session: Generated<string | null>;
}

/** The tables of webhooks. */
export interface DeliveryTables {
  webhook_integrations: WebhookIntegrationRow;
  deliveries: DeliveryRow;
  attempts: AttemptRow;
  listeners: ListenerRow;
}
