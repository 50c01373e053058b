/**
 * The habits of populations: how many buy, try, cancel, fail to pay, come back.
 *
 * @module
 */

import type { SeedCatalogue } from "../../seed/catalogue.ts";
import { GAMES, NEWS, NOTES } from "../../seed/catalogues.ts";
import type { PopulationKind } from "../../../simulator/population.ts";

/** The habits of a population. Numbers from 0 to 1 are probabilities. */
export interface Habits {
  /** What is sold in a project that sells nothing. */
  readonly catalogue: SeedCatalogue;
  /** Whether a customer buys at all. */
  readonly buys: number;
  /** Whether a buyer's first purchase is no subscription, where the app sells both. */
  readonly once: number;
  /** Whether a buyer of something that is used up buys it again, each time. */
  readonly again: number;
  /** Whether a subscriber takes a period of a year. */
  readonly annual: number;
  /** Whether a subscriber starts with the trial, where the product has one. */
  readonly tries: number;
  /** Whether a trial is cancelled. */
  readonly leavesTrial: number;
  /** Whether a paying subscriber cancels within a month. */
  readonly churn: number;
  /** How many more come in the last month than in the first. */
  readonly growth: number;
  /** How many customers come from each store. */
  readonly stores: Readonly<Record<string, number>>;
}

const NOTES_HABITS: Habits = {
  catalogue: NOTES,
  buys: 0.3,
  once: 0.1,
  again: 0.5,
  annual: 0.45,
  tries: 0.8,
  leavesTrial: 0.42,
  churn: 0.07,
  growth: 1.8,
  stores: { app_store: 55, play_store: 30, svc_billing: 15 },
};

/** The habits of each kind of app. */
export const KINDS: Readonly<Record<PopulationKind, Habits>> = {
  notes: NOTES_HABITS,
  games: {
    ...NOTES_HABITS,
    catalogue: GAMES,
    buys: 0.22,
    once: 0.75,
    again: 0.65,
    annual: 0.1,
    churn: 0.17,
    growth: 1.3,
    stores: { app_store: 45, play_store: 55 },
  },
  news: {
    ...NOTES_HABITS,
    catalogue: NEWS,
    buys: 0.45,
    once: 0,
    annual: 0.35,
    tries: 0.9,
    leavesTrial: 0.5,
    churn: 0.05,
    stores: { app_store: 35, play_store: 20, svc_billing: 45 },
  },
};

/** Whether a cancellation is taken back. */
export const UNCANCELS = 0.15;

/** Whether a charge of a period fails. */
export const FAILS = 0.04;

/** Whether a failed charge goes through later. */
export const RECOVERS = 0.65;

/** Whether the payment of a period is refunded. */
export const REFUNDS = 0.015;

/** Whether a refund is taken back, where the store can do that. */
export const REVERSES = 0.1;

/** Whether a subscription is paused in a period, where the store can do that. */
export const PAUSES = 0.03;

/** Whether a subscriber changes to another product in a period. */
export const CHANGES = 0.03;

/** Whether a subscription is shared in a period, where the store can do that. */
export const SHARES = 0.03;

/** Whether a price is raised in a period, and whether the customer agrees. */
export const RAISES = 0.01;

/** Whether a customer agrees to a higher price. */
export const AGREES = 0.75;

/** Whether somebody whose subscription has ended buys it again. */
export const RETURNS = 0.12;

/** Countries with their currencies, and how many customers come from each. */
export const COUNTRIES: readonly (readonly [readonly [string, string], number])[] = [
  [["US", "USD"], 34],
  [["GB", "GBP"], 9],
  [["DE", "EUR"], 8],
  [["JP", "JPY"], 8],
  [["FR", "EUR"], 5],
  [["CA", "CAD"], 5],
  [["BR", "BRL"], 5],
  [["IN", "INR"], 5],
  [["AU", "AUD"], 4],
  [["KR", "KRW"], 4],
  [["ES", "EUR"], 3],
  [["IT", "EUR"], 3],
  [["MX", "MXN"], 3],
  [["NL", "EUR"], 2],
  [["SE", "SEK"], 1],
  [["PL", "PLN"], 1],
];
