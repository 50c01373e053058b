/**
 * Stories of trials.
 *
 * @module
 */

import { type Story, story } from "./story.ts";

/** The stories of trials. */
export const TRIALS: readonly Story[] = [
  story(
    "01_trial_converts.yaml",
    "A trial becomes a paid subscription",
    `
  - purchase: { customer: ada, product: notes.pro.monthly, trial: P1W }
    as: s
    expect:
      events: [{ type: INITIAL_PURCHASE, period_type: TRIAL, price: 0 }]
      access: { ada: [pro] }
  - advance: P1W
    expect:
      events: [{ type: RENEWAL, period_type: NORMAL, is_trial_conversion: true, price: 9.99 }]
      subscription: { s: { status: active, current_period_ends_at: 2026-03-07 } }
      access: { ada: [pro] }
`,
  ),
  story(
    "02_trial_cancelled.yaml",
    "A trial is cancelled and ends unpaid",
    `
  - purchase: { customer: ada, product: notes.pro.monthly, trial: P1W }
    as: s
    expect:
      events: [INITIAL_PURCHASE]
  - advance: P3D
  - cancel: s
    expect:
      events: [{ type: CANCELLATION, cancel_reason: UNSUBSCRIBE, period_type: TRIAL }]
      # Cancelled is not ended: the trial goes on.
      access: { ada: [pro] }
  - advance: P4D
    expect:
      events: [{ type: EXPIRATION, expiration_reason: UNSUBSCRIBE }]
      subscription: { s: { status: expired, gives_access: false } }
      access: { ada: [] }
`,
  ),
];
