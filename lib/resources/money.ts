/**
 * Amounts of money.
 *
 * @module
 */

/** An amount of money, in major units: 9.99, not cents. */
export interface MonetaryAmount {
  /** ISO 4217 code. */
  currency: string;
  /** What the buyer paid. */
  gross: number;
  /** What the store keeps. */
  commission: number;
  /** What the state gets. */
  tax: number;
  /** What is left: gross less commission and tax. */
  proceeds: number;
}

/** Whether money was real. */
export type Environment = "production" | "sandbox" | (string & Record<never, never>);

/** Where a purchase was made. */
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

/** How someone came to own what was bought. */
export type Ownership = "purchased" | "family_shared" | (string & Record<never, never>);
