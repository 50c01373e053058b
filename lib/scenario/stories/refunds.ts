/**
 * Stories of refunds.
 *
 * @module
 */

import { type Story, story } from "./story.ts";

/** The stories of refunds. */
export const REFUNDS: readonly Story[] = [
  story(
    "08_refund.yaml",
    "The store refunds the latest payment, and access ends",
    `
  - purchase: { customer: ada, product: notes.pro.monthly }
    as: s
    expect:
      events: [INITIAL_PURCHASE]
  - advance: P2D
  - refund: s
    expect:
      events:
        - type: CANCELLATION
          cancel_reason: CUSTOMER_SUPPORT
          price: -9.99
        - type: EXPIRATION
      access: { ada: [] }
`,
  ),
  story(
    "09_refund_reversed.yaml",
    "A refund is undone, and access is back",
    `
  - purchase: { customer: ada, product: notes.pro.monthly }
    as: s
    expect:
      events: [INITIAL_PURCHASE]
  - refund: s
    expect:
      events_include: [CANCELLATION]
      access: { ada: [] }
  - reverse_refund: s
    expect:
      events: [REFUND_REVERSED]
      access: { ada: [pro] }
`,
  ),
];
