/**
 * The operations of an app's SDK about the app itself.
 *
 * @module
 */

import type { Client } from "../client.ts";
import { path } from "../path.ts";

/** The presentation of the app. Unknown fields are null. */
export interface SdkBranding {
  /** The app's id. */
  id: string;
  /** The app's name. */
  app_name: string;
  /** Always null here. */
  app_icon: null;
  /** Always null here. */
  app_icon_webp: null;
  /** Always null here. */
  app_wordmark: null;
  /** Always null here. */
  app_wordmark_webp: null;
  /** Always null here. */
  appearance: null;
  /** Always false here: no tax is added to prices. */
  gateway_tax_collection_enabled: boolean;
  /** Always null here. */
  brand_font_config: null;
  /** Where users get help, or null. */
  support_email: string | null;
}

/** The workflows of a project. */
export interface SdkWorkflows {
  /** Always empty here. */
  workflows: never[];
}

/** The query of workflows. */
export interface SdkWorkflowsQuery {
  /** What they are for, such as `paywall`. */
  type?: string;
}

/** The answer to something that is accepted and dropped. */
export type SdkAccepted = Record<never, never>;

/** Reads the presentation of the app. `GET /rcbilling/v1/branding` */
export function getSdkBranding(client: Client): Promise<SdkBranding> {
  return client.get(path`/rcbilling/v1/branding`);
}

/** Reads the workflows for a user: none. `GET /v1/subscribers/{user}/workflows` */
export function listSdkWorkflows(
  client: Client,
  userId: string,
  query?: SdkWorkflowsQuery,
): Promise<SdkWorkflows> {
  return client.get(path`/v1/subscribers/${userId}/workflows`, { query });
}

/** Sends events of users in the app. They are accepted and dropped. `POST /v1/events` */
export function sendSdkEvents(client: Client, events: object): Promise<SdkAccepted> {
  return client.post(path`/v1/events`, events);
}

/** Sends how the SDK fares. It is accepted and dropped. `POST /v1/diagnostics` */
export function sendSdkDiagnostics(client: Client, diagnostics: object): Promise<SdkAccepted> {
  return client.post(path`/v1/diagnostics`, diagnostics);
}
