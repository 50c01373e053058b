/**
 * Offerings, the products that a paywall shows. One offering of a project is current; apps receive it
 * unless they request another offering.
 *
 * An offering is addressed by its `lookup_key` or its `id`.
 *
 * @example Create an offering and make it current
 * ```ts ignore
 * import { connect, createOffering, updateOffering } from "../../mod.ts";
 *
 * const client = await connect();
 * const { lookup_key } = await createOffering(client, {
 *   lookup_key: "spring",
 *   display_name: "Spring sale",
 * });
 * await updateOffering(client, lookup_key, { is_current: true });
 * ```
 *
 * @module
 */

import type { Client } from "../client.ts";
import type { Page, PageQuery } from "../page.ts";
import { path } from "../path.ts";
import type { Package } from "./packages.ts";
import type { DeletedObject, State } from "./shared.ts";

/** An offering. */
export interface Offering {
  /** Always `offering`. */
  object: "offering";
  /** Generated id, `ofrng…`. */
  id: string;
  /** The name used in code, 1 to 200 characters, unique in the project, never changed. */
  lookup_key: string;
  /** The display name, 1 to 1,500 characters. */
  display_name: string;
  /** Whether this is the current offering. */
  is_current: boolean;
  /** `inactive` once archived. */
  state: State;
  /** When it was created, in milliseconds since 1970. */
  created_at: number;
  /** The project it belongs to. */
  project_id: string;
  /** Free JSON for the app, at most 4,000 characters, or null. */
  metadata: Record<string, unknown> | null;
  /** Its packages, if requested with `expand`. */
  packages?: Page<Package>;
}

/** The fields of a new offering. */
export interface NewOffering {
  /** The name used in code, 1 to 200 characters, unique in the project. */
  lookup_key: string;
  /** The display name, 1 to 1,500 characters. */
  display_name: string;
  /** Free JSON for the app, at most 4,000 characters. */
  metadata?: Record<string, unknown> | null;
}

/** The changeable fields of an offering. */
export interface OfferingChanges {
  /** The display name, 1 to 1,500 characters. */
  display_name?: string;
  /** `true` makes this offering the current one. */
  is_current?: boolean;
  /** Free JSON for the app; null removes it. */
  metadata?: Record<string, unknown> | null;
}

/** Related objects to include with an offering. */
export interface OfferingQuery {
  /** `package` adds the packages, `package.product` their products too. */
  expand?: ("package" | "package.product")[];
}

/** The query of a list of offerings. */
export interface OfferingsQuery extends PageQuery {
  /** `items.package` adds the packages, `items.package.product` their products too. */
  expand?: ("items.package" | "items.package.product")[];
}

/** The options of an unarchive. */
export interface UnarchiveOptions {
  /** Unarchive the archived products of its packages too. Default false: refuse instead. */
  unarchive_referenced_entities?: boolean;
}

/** Lists the offerings of the project, oldest first. `GET /offerings` */
export function listOfferings(client: Client, query?: OfferingsQuery): Promise<Page<Offering>> {
  return client.get(path`/offerings`, { query });
}

/** Reads one offering. `GET /offerings/{id}` */
export function getOffering(client: Client, id: string, query?: OfferingQuery): Promise<Offering> {
  return client.get(path`/offerings/${id}`, { query });
}

/** Creates an offering. The first one of a project becomes current. `POST /offerings` */
export function createOffering(client: Client, offering: NewOffering): Promise<Offering> {
  return client.post(path`/offerings`, offering);
}

/** Changes an offering, or makes it current. `POST /offerings/{id}` */
export function updateOffering(
  client: Client,
  id: string,
  changes: OfferingChanges,
): Promise<Offering> {
  return client.post(path`/offerings/${id}`, changes);
}

/** Deletes an offering and its packages. Delete the current offering last. `DELETE /offerings/{id}` */
export function deleteOffering(client: Client, id: string): Promise<DeletedObject> {
  return client.delete(path`/offerings/${id}`);
}

/** Archives an offering. The current offering cannot be archived. `POST /offerings/{id}/actions/archive` */
export function archiveOffering(client: Client, id: string): Promise<Offering> {
  return client.post(path`/offerings/${id}/actions/archive`);
}

/** Unarchives an offering. `POST /offerings/{id}/actions/unarchive` */
export function unarchiveOffering(
  client: Client,
  id: string,
  options?: UnarchiveOptions,
): Promise<Offering> {
  return client.post(path`/offerings/${id}/actions/unarchive`, options);
}
