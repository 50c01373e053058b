/**
 * Actions on a webhook integration besides its configuration: a ping, a new secret, faults of
 * deliveries.
 *
 * @module
 */

import type { Page } from "../page.ts";
import { path } from "../path.ts";
import type { Delivery } from "./deliveries.ts";
import type { Simulator } from "./simulator.ts";

/** A new signing secret of an integration. */
export interface WebhookSecret {
  /** Always `webhook_secret`. */
  object: "webhook_secret";
  /** The integration. */
  webhook_id: string;
  /** The new secret. */
  signing_secret: string;
  /** The expiry of the old one, in milliseconds since 1970. */
  previous_expires_at: number;
}

/** A fault of a delivery. */
export type DeliveryFaultName = "duplicate" | "drop" | "reorder";

/** Faults to add. */
export interface NewDeliveryFault {
  /** The fault. */
  fault: DeliveryFaultName;
  /** The number of deliveries. Default 1. */
  count?: number | undefined;
}

/** The pending faults of an integration. */
export interface WebhookFaults {
  /** Always `delivery_faults`. */
  object: "delivery_faults";
  /** The faults, in order. */
  faults: DeliveryFaultName[];
}

/** Consecutive equal faults. */
export interface DeliveryFaultRun {
  /** Always `delivery_fault`. */
  object: "delivery_fault";
  /** The integration. */
  webhook_id: string;
  /** The fault. */
  fault: DeliveryFaultName;
  /** The number of deliveries. */
  count: number;
}

/**
 * Sends a TEST event to an integration once, and waits for the result.
 * `POST /_sim/projects/{project_id}/webhooks/{id}/ping`
 */
export function pingWebhook({ client, project }: Simulator, id: string): Promise<Delivery> {
  return client.post(path`/_sim/projects/${project}/webhooks/${id}/ping`);
}

/** The new signing secret of an integration. */
export interface SecretRotation {
  /** The secret, `whsec_` and 24 to 64 bytes in base64. Default: a new one. */
  signing_secret?: string | undefined;
}

/**
 * Sets a new signing secret, generated or given. The old one remains valid for a day.
 * `POST /_sim/projects/{project_id}/webhooks/{id}/rotate_secret`
 */
export function rotateWebhookSecret(
  { client, project }: Simulator,
  id: string,
  body: SecretRotation = {},
): Promise<WebhookSecret> {
  return client.post(path`/_sim/projects/${project}/webhooks/${id}/rotate_secret`, body);
}

/**
 * Duplicates, drops or reorders the next deliveries to an integration.
 * `POST /_sim/projects/{project_id}/webhooks/{id}/faults`
 */
export function addDeliveryFaults(
  { client, project }: Simulator,
  id: string,
  body: NewDeliveryFault,
): Promise<WebhookFaults> {
  return client.post(path`/_sim/projects/${project}/webhooks/${id}/faults`, body);
}

/**
 * Clears the delivery faults of an integration.
 * `POST /_sim/projects/{project_id}/webhooks/{id}/faults/clear`
 */
export function clearWebhookFaults(
  { client, project }: Simulator,
  id: string,
): Promise<WebhookFaults> {
  return client.post(path`/_sim/projects/${project}/webhooks/${id}/faults/clear`);
}

/** Lists the delivery faults of the project. `GET /_sim/projects/{project_id}/faults` */
export function listDeliveryFaults(
  { client, project }: Simulator,
): Promise<Page<DeliveryFaultRun>> {
  return client.get(path`/_sim/projects/${project}/faults`);
}

/** Clears the delivery faults of the project. `POST /_sim/projects/{project_id}/faults/clear` */
export function clearDeliveryFaults(
  { client, project }: Simulator,
): Promise<Page<DeliveryFaultRun>> {
  return client.post(path`/_sim/projects/${project}/faults/clear`);
}
