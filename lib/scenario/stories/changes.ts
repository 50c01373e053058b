/**
 * Stories of subscriptions that change, pause and end.
 *
 * @module
 */

import { type Story, story } from "./story.ts";

/** The stories of subscriptions that change, pause and end. */
export const CHANGES: readonly Story[] = [
  story(
    "06_upgrade_now.yaml",
    "A customer upgrades and has the new product at once",
    `
  - purchase: { customer: ada, product: notes.pro.monthly }
    as: s
    expect:
      events: [INITIAL_PURCHASE]
      access: { ada: [pro] }
  - advance: P10D
  - change_product: { subscription: s, product: notes.pro.annual, when: now }
    expect:
      events:
        - type: PRODUCT_CHANGE
          product_id: notes.pro.monthly
          new_product_id: notes.pro.annual
        - type: RENEWAL
          product_id: notes.pro.annual
          price: 79.99
      access: { ada: [pro, sync] }
`,
  ),
  story(
    "07_downgrade_at_the_end.yaml",
    "A customer downgrades and keeps the old product until the period ends",
    `
  - purchase: { customer: ada, product: notes.pro.annual }
    as: s
    expect:
      events: [INITIAL_PURCHASE]
  - change_product: { subscription: s, product: notes.pro.monthly, when: period_end }
    expect:
      events:
        - type: PRODUCT_CHANGE
          new_product_id: notes.pro.monthly
      subscription: { s: { auto_renewal_status: will_change_product } }
      access: { ada: [pro, sync] }
  - to: 2027-01-31
    expect:
      events: [{ type: RENEWAL, product_id: notes.pro.monthly, price: 9.99 }]
      access: { ada: [pro] }
`,
  ),
  story(
    "10_pause.yaml",
    "A subscription pauses at the end of its period and goes on later",
    `
  - purchase: { customer: ada, product: notes_pro_monthly }
    as: s
    expect:
      events: [INITIAL_PURCHASE]
  - pause: { subscription: s, for: P1M }
    expect:
      events: [SUBSCRIPTION_PAUSED]
      # The paid period goes on.
      access: { ada: [pro] }
  - to: 2026-03-01
    expect:
      events: [{ type: EXPIRATION, expiration_reason: SUBSCRIPTION_PAUSED }]
      subscription: { s: { status: paused } }
      access: { ada: [] }
  - to: 2026-04-01
    expect:
      events: [RENEWAL]
      access: { ada: [pro] }
`,
  ),
  story(
    "13_cancelled_and_expired.yaml",
    "A customer cancels and has access until the period ends",
    `
  - purchase: { customer: ada, product: notes.pro.monthly }
    as: s
    expect:
      events: [INITIAL_PURCHASE]
  - advance: P10D
  - cancel: s
    expect:
      events: [{ type: CANCELLATION, cancel_reason: UNSUBSCRIBE }]
      access: { ada: [pro] }
  - to: 2026-02-28
    expect:
      events: [{ type: EXPIRATION, expiration_reason: UNSUBSCRIBE }]
      access: { ada: [] }
      past:
        - at: 2026-02-27
          access: { ada: [pro] }
`,
  ),
];
