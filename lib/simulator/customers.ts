/**
 * The actions of an app and its server on customers: signing in, and changing balances.
 *
 * @module
 */

import type { Page, PageQuery } from "../page.ts";
import { path } from "../path.ts";
import type { Customer } from "../resources/customers.ts";
import type { Simulator } from "./simulator.ts";

/** The result of signing in with another id. */
export interface SignedInCustomer {
  /** Whether the two were one already, have become one, or are two. */
  outcome: "same" | "merged" | "switched";
  /** The customer that is signed in now. */
  customer: Customer;
}

/** The id that a customer signs in with. */
export interface CustomerSignIn {
  /** Any id of a customer, or a new one. */
  alias: string;
}

/** A customer's balance in one currency. */
export interface CurrencyBalance {
  /** Always `virtual_currency_balance`. */
  object: "virtual_currency_balance";
  /** The currency's code. */
  currency_code: string;
  /** The balance. */
  balance: number;
  /** The currency's description, or null. */
  description: string | null;
  /** The currency's name. */
  name: string;
}

/** The amount for each currency, negative to spend. */
export interface BalanceChange {
  /** Amounts by the currency's code. */
  adjustments: Record<string, number>;
  /** The description of the transaction. */
  reference?: string | null;
}

/**
 * Signs a customer in under another id. Merges the two customers or switches to the other.
 * `POST /_sim/projects/{project_id}/customers/{id}/aliases`
 */
export function signInCustomer(
  { client, project }: Simulator,
  id: string,
  body: CustomerSignIn,
): Promise<SignedInCustomer> {
  return client.post(path`/_sim/projects/${project}/customers/${id}/aliases`, body);
}

/**
 * Lists a customer's balances of all virtual currencies, empty ones too.
 * `GET /_sim/projects/{project_id}/customers/{id}/currencies`
 */
export function listBalances(
  { client, project }: Simulator,
  id: string,
  query?: PageQuery,
): Promise<Page<CurrencyBalance>> {
  return client.get(path`/_sim/projects/${project}/customers/${id}/currencies`, { query });
}

/**
 * Adds or spends a customer's virtual currencies, as the app's server does.
 * `POST /_sim/projects/{project_id}/customers/{id}/currencies`
 */
export function changeBalances(
  { client, project }: Simulator,
  id: string,
  body: BalanceChange,
): Promise<Page<CurrencyBalance>> {
  return client.post(path`/_sim/projects/${project}/customers/${id}/currencies`, body);
}
