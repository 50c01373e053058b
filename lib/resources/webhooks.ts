/**
 * Webhook integrations: the receivers of events.
 *
 * @example Send renewals to your server
 * ```ts ignore
 * import { connect, createWebhook } from "../../mod.ts";
 *
 * const client = await connect();
 * const webhook = await createWebhook(client, {
 *   name: "Renewals",
 *   url: "https://hooks.acme.dev/renewals",
 *   event_types: ["renewal"],
 * });
 * console.log(webhook.signing_secret);
 * ```
 *
 * @module
 */

import type { Client } from "../client.ts";
import type { CHOOSABLE_EVENT_TYPES } from "../event_types.ts";
import type { Page, PageQuery } from "../page.ts";
import { path } from "../path.ts";
import type { Environment } from "./money.ts";
import type { DeletedObject } from "./shared.ts";

/** An event type, as an integration chooses it. */
export type WebhookEventType =
  | (typeof CHOOSABLE_EVENT_TYPES)[number]
  | (string & Record<never, never>);

/** A webhook integration. Its `authorization_header` is never returned. */
export interface Webhook {
  /** Always `webhook_integration`. */
  object: "webhook_integration";
  /** Generated id, `whintgr…`. */
  id: string;
  /** The project it belongs to. */
  project_id: string;
  /** Its name, 1 to 1,500 characters. */
  name: string;
  /** The HTTPS address for events. */
  url: string;
  /** The event types; null means all. */
  event_types: WebhookEventType[] | null;
  /** The environment of its events; null means both. */
  environment: Environment | null;
  /** The app of its events; null means all. */
  app_id: string | null;
  /** When it was created, in milliseconds since 1970. */
  created_at: number;
  /**
   * When it was disabled because its receiver answered 410, in milliseconds since 1970; null while
   * it is enabled. An update with its URL enables it again.
   */
  disabled_at: number | null;
  /** The signing secret, `whsec_…`. Only in the answer to its creation. */
  signing_secret?: string;
}

/** The fields of a new webhook integration. */
export interface NewWebhook extends WebhookChanges {
  /** Its name, 1 to 1,500 characters. */
  name: string;
  /** The reachable HTTPS address for events. */
  url: string;
  /** The event types: at least one. */
  event_types: WebhookEventType[];
}

/** The changeable fields of a webhook integration. */
export interface WebhookChanges {
  /** Its name, 1 to 1,500 characters. */
  name?: string;
  /** The reachable HTTPS address for events. */
  url?: string;
  /** The event types: at least one; null means all. */
  event_types?: WebhookEventType[] | null;
  /** Sent as `Authorization` with each event, at most 5,000 characters; null removes it. */
  authorization_header?: string | null;
  /** The environment of its events; null means both. */
  environment?: Environment | null;
  /** The app of its events; null means all. */
  app_id?: string | null;
}

/** Lists the webhook integrations of the project, oldest first. `GET /integrations/webhooks` */
export function listWebhooks(client: Client, query?: PageQuery): Promise<Page<Webhook>> {
  return client.get(path`/integrations/webhooks`, { query });
}

/** Reads one webhook integration. `GET /integrations/webhooks/{id}` */
export function getWebhook(client: Client, id: string): Promise<Webhook> {
  return client.get(path`/integrations/webhooks/${id}`);
}

/** Creates a webhook integration. `POST /integrations/webhooks` */
export function createWebhook(client: Client, webhook: NewWebhook): Promise<Webhook> {
  return client.post(path`/integrations/webhooks`, webhook);
}

/** Changes a webhook integration. `POST /integrations/webhooks/{id}` */
export function updateWebhook(
  client: Client,
  id: string,
  changes: WebhookChanges,
): Promise<Webhook> {
  return client.post(path`/integrations/webhooks/${id}`, changes);
}

/** Deletes a webhook integration. `DELETE /integrations/webhooks/{id}` */
export function deleteWebhook(client: Client, id: string): Promise<DeletedObject> {
  return client.delete(path`/integrations/webhooks/${id}`);
}
