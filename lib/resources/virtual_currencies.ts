/**
 * Virtual currencies: coins and credits granted by products. A currency is addressed by its `code`.
 *
 * @example Create a currency
 * ```ts ignore
 * import { connect, createVirtualCurrency } from "../../mod.ts";
 *
 * const client = await connect();
 * await createVirtualCurrency(client, { code: "GLD", name: "Gold" });
 * ```
 *
 * @module
 */

import type { Client } from "../client.ts";
import type { Page, PageQuery } from "../page.ts";
import { path } from "../path.ts";
import type { DeletedObject, State } from "./shared.ts";

/** A virtual currency. */
export interface VirtualCurrency {
  /** Always `virtual_currency`. */
  object: "virtual_currency";
  /** The project it belongs to. */
  project_id: string;
  /** 1 to 10 upper-case letters, digits and `_`, never changed. */
  code: string;
  /** Its name, 1 to 50 characters. */
  name: string;
  /** When it was created, in milliseconds since 1970. */
  created_at: number;
  /** The description, 1 to 1,500 characters, or null. */
  description: string | null;
  /** The amounts that products grant, or null. */
  product_grants: ProductGrant[] | null;
  /** `inactive` once archived. */
  state: State;
}

/** The amount of a currency that some products grant. */
export interface ProductGrant {
  /** Always `virtual_currency.product_grant`. */
  object: "virtual_currency.product_grant";
  /** The products. */
  product_ids: string[];
  /** The amount per payment, 1 or more. */
  amount: number;
  /** The amount per trial. */
  trial_amount: number;
  /** Whether it expires at the end of the period. */
  expire_at_cycle_end: boolean;
}

/** The amount of a currency that some products are to grant. */
export interface NewProductGrant {
  /** The products. */
  product_ids: string[];
  /** The amount per payment, 1 or more. */
  amount: number;
  /** The amount per trial. Default 0. */
  trial_amount?: number | null;
  /** Whether it expires at the end of the period. Default false. */
  expire_at_cycle_end?: boolean | null;
}

/** The fields of a new virtual currency. */
export interface NewVirtualCurrency extends VirtualCurrencyChanges {
  /** 1 to 10 upper-case letters, digits and `_`, unique in the project. */
  code: string;
  /** Its name, 1 to 50 characters. */
  name: string;
}

/** The changeable fields of a virtual currency. */
export interface VirtualCurrencyChanges {
  /** Its name, 1 to 50 characters. */
  name?: string;
  /** The description, 1 to 1,500 characters; null removes it. */
  description?: string | null;
  /** The amounts that products grant; null removes all. */
  product_grants?: NewProductGrant[] | null;
}

/** Lists the virtual currencies of the project, oldest first. `GET /virtual_currencies` */
export function listVirtualCurrencies(
  client: Client,
  query?: PageQuery,
): Promise<Page<VirtualCurrency>> {
  return client.get(path`/virtual_currencies`, { query });
}

/** Reads one virtual currency. `GET /virtual_currencies/{code}` */
export function getVirtualCurrency(client: Client, code: string): Promise<VirtualCurrency> {
  return client.get(path`/virtual_currencies/${code}`);
}

/** Creates a virtual currency; a project has at most 100. `POST /virtual_currencies` */
export function createVirtualCurrency(
  client: Client,
  currency: NewVirtualCurrency,
): Promise<VirtualCurrency> {
  return client.post(path`/virtual_currencies`, currency);
}

/** Changes a virtual currency. `POST /virtual_currencies/{code}` */
export function updateVirtualCurrency(
  client: Client,
  code: string,
  changes: VirtualCurrencyChanges,
): Promise<VirtualCurrency> {
  return client.post(path`/virtual_currencies/${code}`, changes);
}

/** Deletes a virtual currency. `DELETE /virtual_currencies/{code}` */
export function deleteVirtualCurrency(client: Client, code: string): Promise<DeletedObject> {
  return client.delete(path`/virtual_currencies/${code}`);
}

/** Archives a virtual currency. `POST /virtual_currencies/{code}/actions/archive` */
export function archiveVirtualCurrency(client: Client, code: string): Promise<VirtualCurrency> {
  return client.post(path`/virtual_currencies/${code}/actions/archive`);
}

/** Unarchives a virtual currency. `POST /virtual_currencies/{code}/actions/unarchive` */
export function unarchiveVirtualCurrency(client: Client, code: string): Promise<VirtualCurrency> {
  return client.post(path`/virtual_currencies/${code}/actions/unarchive`);
}
