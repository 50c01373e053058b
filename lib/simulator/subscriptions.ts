/**
 * The actions of customers and stores on subscriptions.
 *
 * @module
 */

import type { ExpirationReason } from "../event_types.ts";
import { path } from "../path.ts";
import type { Subscription } from "../resources/subscriptions.ts";
import type { Simulator } from "./simulator.ts";

/** How a charge fails. */
export interface ChargeFailure {
  /** The charge: one due now, or the next renewal. Default: now. */
  when?: "now" | "renewal" | undefined;
  /** The ISO 8601 duration of the grace period. Default: the product's own. */
  grace?: string | null | undefined;
}

/** The length of a pause: until a time or for a duration. Default: until it is resumed. */
export interface Pause {
  /** When the pause ends, in milliseconds since 1970. */
  until?: number | undefined;
  /** The ISO 8601 duration of the pause. */
  for?: string | undefined;
}

/** The product that a subscription changes to. */
export interface ProductChange {
  /** The product's id or store identifier. */
  product_id: string;
  /** The time of the change. Default: now. */
  when?: "now" | "period_end" | undefined;
  /** The price in main units. Default: the product's own. */
  price?: number | undefined;
  /** The ISO 8601 duration of a period. Default: the product's own. */
  duration?: string | undefined;
}

/** The payment. */
export interface PaymentChoice {
  /** The store's id of the transaction. Default: the latest one. */
  transaction_id?: string | undefined;
}

/** The payment to refund, and its effect. */
export interface PaymentRefund extends PaymentChoice {
  /** Whether the customer keeps access. Default false. */
  keep_access?: boolean | undefined;
}

/** The extension of a period: to a time or by a duration. */
export interface Extension {
  /** The new end, in milliseconds since 1970. */
  until?: number | undefined;
  /** An ISO 8601 duration. */
  by?: string | undefined;
}

/** How a subscription ends. */
export interface Expiration {
  /** Why it ends. Default: its cancellation reason. */
  reason?: ExpirationReason | undefined;
}

/** A price from the next renewal on. */
export interface PriceRaise {
  /** The price in main units. */
  price: number;
}

/** The family member. */
export interface FamilyShare {
  /** Any id of the other customer, or a new one. */
  customer_id: string;
}

/**
 * Charges for the next period now: a trial converts, a paid period renews early.
 * `POST /_sim/projects/{project_id}/subscriptions/{id}/renew`
 */
export function renewSubscription(
  { client, project }: Simulator,
  id: string,
): Promise<Subscription> {
  return client.post(path`/_sim/projects/${project}/subscriptions/${id}/renew`);
}

/**
 * Makes a charge fail, now or at the renewal.
 * `POST /_sim/projects/{project_id}/subscriptions/{id}/fail`
 */
export function failCharge(
  { client, project }: Simulator,
  id: string,
  body: ChargeFailure = {},
): Promise<Subscription> {
  return client.post(path`/_sim/projects/${project}/subscriptions/${id}/fail`, body);
}

/**
 * Makes charges succeed again, and retries the outstanding one.
 * `POST /_sim/projects/{project_id}/subscriptions/{id}/recover`
 */
export function recoverCharge(
  { client, project }: Simulator,
  id: string,
): Promise<Subscription> {
  return client.post(path`/_sim/projects/${project}/subscriptions/${id}/recover`);
}

/**
 * Turns off auto-renewal, as the customer does in the store.
 * `POST /_sim/projects/{project_id}/subscriptions/{id}/cancel`
 */
export function cancelSubscription(
  { client, project }: Simulator,
  id: string,
): Promise<Subscription> {
  return client.post(path`/_sim/projects/${project}/subscriptions/${id}/cancel`);
}

/**
 * Turns auto-renewal on again before the subscription expires.
 * `POST /_sim/projects/{project_id}/subscriptions/{id}/uncancel`
 */
export function uncancelSubscription(
  { client, project }: Simulator,
  id: string,
): Promise<Subscription> {
  return client.post(path`/_sim/projects/${project}/subscriptions/${id}/uncancel`);
}

/**
 * Pauses the subscription at the end of its period.
 * `POST /_sim/projects/{project_id}/subscriptions/{id}/pause`
 */
export function pauseSubscription(
  { client, project }: Simulator,
  id: string,
  body: Pause = {},
): Promise<Subscription> {
  return client.post(path`/_sim/projects/${project}/subscriptions/${id}/pause`, body);
}

/**
 * Ends a pause, or cancels one that has not started.
 * `POST /_sim/projects/{project_id}/subscriptions/{id}/resume`
 */
export function resumeSubscription(
  { client, project }: Simulator,
  id: string,
): Promise<Subscription> {
  return client.post(path`/_sim/projects/${project}/subscriptions/${id}/resume`);
}

/**
 * Changes to another product of the app.
 * `POST /_sim/projects/{project_id}/subscriptions/{id}/change_product`
 */
export function changeProduct(
  { client, project }: Simulator,
  id: string,
  body: ProductChange,
): Promise<Subscription> {
  return client.post(path`/_sim/projects/${project}/subscriptions/${id}/change_product`, body);
}

/**
 * Refunds a payment, as the store does.
 * `POST /_sim/projects/{project_id}/subscriptions/{id}/refund`
 */
export function refundSubscription(
  { client, project }: Simulator,
  id: string,
  body: PaymentRefund = {},
): Promise<Subscription> {
  return client.post(path`/_sim/projects/${project}/subscriptions/${id}/refund`, body);
}

/**
 * Undoes the refund of a payment.
 * `POST /_sim/projects/{project_id}/subscriptions/{id}/reverse_refund`
 */
export function reverseSubscriptionRefund(
  { client, project }: Simulator,
  id: string,
  body: PaymentChoice = {},
): Promise<Subscription> {
  return client.post(path`/_sim/projects/${project}/subscriptions/${id}/reverse_refund`, body);
}

/**
 * Extends the period to a time or by a duration.
 * `POST /_sim/projects/{project_id}/subscriptions/{id}/extend`
 */
export function extendSubscription(
  { client, project }: Simulator,
  id: string,
  body: Extension,
): Promise<Subscription> {
  return client.post(path`/_sim/projects/${project}/subscriptions/${id}/extend`, body);
}

/**
 * Ends the subscription immediately.
 * `POST /_sim/projects/{project_id}/subscriptions/{id}/expire`
 */
export function expireSubscription(
  { client, project }: Simulator,
  id: string,
  body: Expiration = {},
): Promise<Subscription> {
  return client.post(path`/_sim/projects/${project}/subscriptions/${id}/expire`, body);
}

/**
 * Announces a higher price.
 * `POST /_sim/projects/{project_id}/subscriptions/{id}/raise_price`
 */
export function raisePrice(
  { client, project }: Simulator,
  id: string,
  body: PriceRaise,
): Promise<Subscription> {
  return client.post(path`/_sim/projects/${project}/subscriptions/${id}/raise_price`, body);
}

/**
 * Accepts the higher price for the customer.
 * `POST /_sim/projects/{project_id}/subscriptions/{id}/agree_to_price`
 */
export function agreeToPrice(
  { client, project }: Simulator,
  id: string,
): Promise<Subscription> {
  return client.post(path`/_sim/projects/${project}/subscriptions/${id}/agree_to_price`);
}

/**
 * Shares the subscription with another family member.
 * `POST /_sim/projects/{project_id}/subscriptions/{id}/family_share`
 */
export function shareSubscription(
  { client, project }: Simulator,
  id: string,
  body: FamilyShare,
): Promise<Subscription> {
  return client.post(path`/_sim/projects/${project}/subscriptions/${id}/family_share`, body);
}
