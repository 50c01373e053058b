/**
 * Amounts of money.
 *
 * @module
 */

/** An amount of money, in major units: 9.99, not cents. */
export interface MonetaryAmount {
  /** ISO 4217 code. */
  currency: string;
  /** The buyer's payment. */
  gross: number;
  /** The store's commission. */
  commission: number;
  /** The tax. */
  tax: number;
  /** The rest: gross less commission and tax. */
  proceeds: number;
}

/** Production or sandbox. */
export type Environment = "production" | "sandbox" | (string & Record<never, never>);

/** The store of a purchase. */
export type Store =
  | "amazon"
  | "app_store"
  | "mac_app_store"
  | "play_store"
  | "promotional"
  | "stripe"
  | "svc_billing"
  | "rc_billing"
  | "roku"
  | "paddle"
  | "test_store"
  | (string & Record<never, never>);

/** How a customer came to own a product. */
export type Ownership = "purchased" | "family_shared" | (string & Record<never, never>);
