/**
 * Stories of what is bought once.
 *
 * @module
 */

import { type Story, story } from "./story.ts";

/** The stories of what is bought once. */
export const ONCE: readonly Story[] = [
  story(
    "15_non_renewing_purchase.yaml",
    "A pass is bought once and never renews",
    `
  - purchase: { customer: ada, product: notes.pass }
    as: p
    expect:
      events: [{ type: NON_RENEWING_PURCHASE, product_id: notes.pass, price: 4.99 }]
      purchase: { p: { status: owned } }
      access: { ada: [pro] }
  - advance: P1Y
    expect:
      events: []
      access: { ada: [pro] }
`,
  ),
  story(
    "16_consumable_currency.yaml",
    "Coins are bought, spent and refunded",
    `
  - purchase: { customer: ada, product: notes.coins.100, quantity: 2 }
    as: p
    expect:
      events:
        - type: NON_RENEWING_PURCHASE
        - type: VIRTUAL_CURRENCY_TRANSACTION
          source: in_app_purchase
      balances: { ada: { COIN: 200 } }
  - spend: { customer: ada, currency: COIN, amount: 50 }
    expect:
      balances: { ada: { COIN: 150 } }
  - spend: { customer: ada, currency: COIN, amount: 1000 }
    expect:
      refused: { status: 422 }
      balances: { ada: { COIN: 150 } }
  - refund: p
    expect:
      events_include: [CANCELLATION, VIRTUAL_CURRENCY_TRANSACTION]
      purchase: { p: { status: refunded } }
`,
  ),
];
