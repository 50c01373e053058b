/**
 * Paywalls, which present offerings in the app.
 *
 * @example Set an offering's paywall
 * ```ts ignore
 * import { connect, setOfferingPaywall } from "../../mod.ts";
 *
 * const client = await connect();
 * await setOfferingPaywall(client, "default", {
 *   template_name: "one_column",
 *   default_locale: "en_US",
 *   localized_strings: { en_US: { title: "Notes Pro" } },
 * });
 * ```
 *
 * @module
 */

import type { Client } from "../client.ts";
import type { Page, PageQuery } from "../page.ts";
import { path } from "../path.ts";
import type { Offering } from "./offerings.ts";
import type { DeletedObject } from "./shared.ts";

/** A paywall. */
export interface Paywall {
  /** Always `paywall`. */
  object: "paywall";
  /** Generated id, `pw…`. */
  id: string;
  /** Its name, 1 to 255 characters, or null. */
  name: string | null;
  /** The offering it belongs to. */
  offering_id: string;
  /** When it was created, in milliseconds since 1970. */
  created_at: number;
  /** When its content was last set, in milliseconds since 1970; null before that. */
  published_at: number | null;
  /** The offering, if requested with `expand`. */
  offering?: Offering;
  /** The content, if requested with `expand` and in the answer that sets it. */
  components?: PaywallComponents;
}

/** The versions of a paywall's content. */
export interface PaywallComponents {
  /** The published content, or null before content was set. */
  published: PaywallVersion | null;
  /** The draft, or null. */
  draft: PaywallVersion | null;
}

/** One version of a paywall's content. */
export interface PaywallVersion {
  /** Counts up from 1 with each change. */
  revision: number | null;
  /**
   * The layout; for content in the older form, everything except the texts. Null if there is none.
   */
  components_config: Record<string, unknown> | null;
  /** The fallback language, such as `en_US`, or null. */
  default_locale: string | null;
  /** Texts by language. */
  components_localizations: Record<string, Record<string, unknown>>;
}

/** The content of a paywall: any JSON object. The service uses the keys listed here. */
export interface PaywallContent {
  /** The layout. */
  template_name?: string;
  /** The fallback language, such as `en_US`. */
  default_locale?: string;
  /** Texts by language. */
  localized_strings?: Record<string, Record<string, unknown>>;
  /** Texts by language, in the newer form. */
  components_localizations?: Record<string, Record<string, unknown>>;
  /** Layout in the newer form. */
  components_config?: Record<string, unknown>;
  /** Layout settings. */
  config?: Record<string, unknown>;
  /** The base address of the images. */
  asset_base_url?: string;
  /** Other keys are kept unchanged. */
  [key: string]: unknown;
}

/** The fields of a new paywall. */
export interface NewPaywall {
  /** The offering, by lookup key or id. It must not have a paywall yet. */
  offering_id: string;
}

/** Related objects to include with a paywall. */
export interface PaywallQuery {
  /** `offering` adds the offering, `components` the content. */
  expand?: ("offering" | "components")[];
}

/** The query of a list of paywalls. */
export interface PaywallsQuery extends PageQuery {
  /** `items.offering` adds the offering of each. */
  expand?: "items.offering"[];
}

/** Lists the paywalls of the project, oldest first. `GET /paywalls` */
export function listPaywalls(client: Client, query?: PaywallsQuery): Promise<Page<Paywall>> {
  return client.get(path`/paywalls`, { query });
}

/** Reads one paywall. `GET /paywalls/{id}` */
export function getPaywall(client: Client, id: string, query?: PaywallQuery): Promise<Paywall> {
  return client.get(path`/paywalls/${id}`, { query });
}

/** Creates an empty paywall for an offering. `POST /paywalls` */
export function createPaywall(client: Client, paywall: NewPaywall): Promise<Paywall> {
  return client.post(path`/paywalls`, paywall);
}

/** Deletes a paywall. The offering stays. `DELETE /paywalls/{id}` */
export function deletePaywall(client: Client, id: string): Promise<DeletedObject> {
  return client.delete(path`/paywalls/${id}`);
}

/** Sets the content of an offering's paywall, or creates the paywall. `PUT /offerings/{id}/paywall` */
export function setOfferingPaywall(
  client: Client,
  offering: string,
  content: PaywallContent,
): Promise<Paywall> {
  return client.put(path`/offerings/${offering}/paywall`, content);
}
