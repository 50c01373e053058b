/**
 * Stories of charges that fail, prices that rise, and invoices.
 *
 * @module
 */

import { type Story, story } from "./story.ts";

/** The stories of charges that fail, prices that rise, and invoices. */
export const BILLING: readonly Story[] = [
  story(
    "03_billing_issue_with_grace.yaml",
    "A charge fails, and the grace period ends without a payment",
    `
  - purchase: { customer: ada, product: notes.pro.monthly }
    as: s
    expect:
      events: [INITIAL_PURCHASE]
  - fail: { subscription: s, when: renewal }
    expect:
      events: []
  - to: 2026-02-28
    expect:
      events:
        - type: BILLING_ISSUE
          grace_period_expiration_at_ms: 2026-03-03
        - type: CANCELLATION
          cancel_reason: BILLING_ERROR
      subscription: { s: { status: in_grace_period } }
      # Grace keeps access.
      access: { ada: [pro] }
  - advance: P3D
    expect:
      events: [{ type: EXPIRATION, expiration_reason: BILLING_ERROR }]
      access: { ada: [] }
      past:
        - at: 2026-03-02
          access: { ada: [pro] }
`,
  ),
  story(
    "04_billing_issue_without_grace.yaml",
    "A charge fails, and access ends at once",
    `
  - purchase: { customer: ada, product: notes.pro.monthly, grace: none }
    as: s
    expect:
      events: [INITIAL_PURCHASE]
  - fail: { subscription: s, when: renewal }
  - to: 2026-02-28
    expect:
      events: [BILLING_ISSUE, CANCELLATION, EXPIRATION]
      access: { ada: [] }
`,
  ),
  story(
    "05_recovery.yaml",
    "A charge fails and goes through before the grace period ends",
    `
  - purchase: { customer: ada, product: notes.pro.monthly }
    as: s
    expect:
      events: [INITIAL_PURCHASE]
  - fail: { subscription: s, when: renewal }
  - to: 2026-02-28
    expect:
      events: [BILLING_ISSUE, CANCELLATION]
  - advance: P1D
  - recover: s
    expect:
      events: [{ type: RENEWAL, price: 9.99 }]
      subscription: { s: { status: active, auto_renewal_status: will_renew } }
      access: { ada: [pro] }
`,
  ),
  story(
    "14_price_rise_not_agreed_to.yaml",
    "The price rises, and the customer does not agree to it",
    `
  - purchase: { customer: ada, product: notes.pro.monthly }
    as: s
    expect:
      events: [INITIAL_PURCHASE]
  - raise_price: { subscription: s, price: 12.99 }
    expect:
      events: [PRICE_INCREASE_CONSENT_REQUIRED]
      access: { ada: [pro] }
  - to: 2026-02-28
    expect:
      events: [{ type: EXPIRATION, expiration_reason: PRICE_INCREASE }]
      access: { ada: [] }
`,
  ),
  story(
    "19_invoice_paid.yaml",
    "A web subscription begins when its invoice is paid",
    `
  - purchase: { customer: ada, product: notes_web_monthly, paid: false }
    as: s
    expect:
      events: [INVOICE_ISSUANCE]
      subscription: { s: { status: incomplete } }
      access: { ada: [] }
  - pay: ada
    expect:
      events: [INITIAL_PURCHASE]
      invoices: { ada: [{ paid_at: 2026-01-31 }] }
      access: { ada: [pro] }
`,
  ),
];
