/**
 * Amounts of money. The service stores whole millionths of a currency's main unit ("micros"); the
 * API shows decimal main units.
 *
 * The commissions and taxes are the simulator's, as the rates are: fixed, so that the same purchases
 * always make the same sums.
 *
 * @module
 */

import type { MonetaryAmount } from "../../resources/money.ts";
import { type Duration, parseDuration } from "./calendar.ts";
import { decimalsOf, USD_PER_UNIT } from "./currencies.ts";

/** The parts of an amount, in micros of one currency. */
export interface Parts {
  /** The price that the buyer pays. */
  gross: number;
  /** The store's commission. */
  commission: number;
  /** Tax. */
  tax: number;
}

/** A payment in the buyer's currency and in US dollars. */
export interface Money {
  /** ISO 4217 code of the buyer's currency. */
  currency: string;
  /** In the buyer's currency. */
  local: Parts;
  /** In US dollars. */
  usd: Parts;
}

/** Each store's commission, as a part of the price. */
const COMMISSION: Readonly<Record<string, number>> = {
  app_store: 0.3,
  mac_app_store: 0.3,
  play_store: 0.15,
  amazon: 0.2,
  roku: 0.2,
  stripe: 0.03,
  svc_billing: 0.03,
  paddle: 0.05,
};

/** Tax as a part of the price, by country. Other countries have none. */
const TAX: Readonly<Record<string, number>> = {
  AU: 0.0909,
  BR: 0.1452,
  CH: 0.0749,
  DE: 0.1597,
  DK: 0.2,
  ES: 0.1736,
  FR: 0.1667,
  GB: 0.1667,
  IN: 0.1525,
  IT: 0.1803,
  JP: 0.0909,
  KR: 0.0909,
  MX: 0.1379,
  NL: 0.1736,
  NO: 0.2,
  NZ: 0.1304,
  PL: 0.187,
  SE: 0.2,
};

/** The most that one payment may come to, in US dollars, so that sums stay exact. */
export const LARGEST_PAYMENT_USD = 1_000_000;

/** Zero in all parts. */
export const NOTHING: Parts = { gross: 0, commission: 0, tax: 0 };

/** A store's commission as a part of the price, 0 to 1. */
export function commissionRate(store: string): number {
  return COMMISSION[store] ?? 0;
}

/** A country's tax as a part of the price, 0 to 1. */
export function taxRate(country: string | null): number {
  return TAX[country ?? ""] ?? 0;
}

/** The nearest amount that a currency can express, in micros. */
export function payable(micros: number, currency: string): number {
  const unit = 10 ** (6 - decimalsOf(currency));
  return Math.round(micros / unit) * unit;
}

/** Converts a price to another currency and rounds it to what that currency can express, in micros. */
export function convertPrice(micros: number, from: string, to: string): number {
  return from === to ? micros : payable(convert(micros, from, to), to);
}

/** Micros from main units. */
export function toMicros(units: number): number {
  return Math.round(units * 1_000_000);
}

/** Main units from micros. */
export function fromMicros(micros: number): number {
  return micros / 1_000_000;
}

/** Converts an amount to another currency, in micros. Unknown currencies count as US dollars. */
export function convert(micros: number, from: string, to: string): number {
  if (from === to) return micros;
  return Math.round(micros * (USD_PER_UNIT.get(from) ?? 1) / (USD_PER_UNIT.get(to) ?? 1));
}

/** Splits a gross amount into commission and tax, by store and country. */
export function splitPayment(
  gross: number,
  sale: { currency: string; store: string; country: string | null },
): Money {
  const split = (micros: number): Parts => ({
    gross: micros,
    commission: Math.round(micros * commissionRate(sale.store)),
    tax: Math.round(micros * taxRate(sale.country)),
  });
  const { currency } = sale;
  return { currency, local: split(gross), usd: split(convert(gross, currency, "USD")) };
}

/** The payment with its sign reversed. */
export function negate(money: Money): Money {
  // Subtraction, since a unary minus would turn 0 into -0.
  const turn = ({ gross, commission, tax }: Parts): Parts => ({
    gross: 0 - gross,
    commission: 0 - commission,
    tax: 0 - tax,
  });
  return { currency: money.currency, local: turn(money.local), usd: turn(money.usd) };
}

/** An amount as the API shows it. */
export function showAmount(currency: string, { gross, commission, tax }: Parts): MonetaryAmount {
  return {
    currency,
    gross: fromMicros(gross),
    commission: fromMicros(commission),
    tax: fromMicros(tax),
    proceeds: fromMicros(gross - commission - tax),
  };
}

const DAYS_PER_MONTH = 30.4375;

/** Converts a price per period to a price per month, in the same unit. A month has 30.4375 days. */
export function perMonth(price: number, duration: Duration | string): number {
  const { months, days, ms } = typeof duration === "string" ? parseDuration(duration) : duration;
  const length = months + (days + ms / 86_400_000) / DAYS_PER_MONTH;
  return length === 0 ? 0 : Math.round(price / length);
}
