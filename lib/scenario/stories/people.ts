/**
 * Stories of several ids, several people and promotional grants.
 *
 * @module
 */

import { type Story, story } from "./story.ts";

/** The stories of several ids, several people and promotional grants. */
export const PEOPLE: readonly Story[] = [
  story(
    "11_family_share.yaml",
    "A member of the family has access as long as the owner",
    `
  - purchase: { customer: ada, product: notes.pro.monthly }
    as: s
    expect:
      events: [INITIAL_PURCHASE]
  - share: { subscription: s, with: bob }
    as: shared
    expect:
      events: [{ type: INITIAL_PURCHASE, app_user_id: bob, is_family_share: true }]
      access: { ada: [pro], bob: [pro] }
  - cancel: s
  - to: 2026-02-28
    expect:
      events_include: [CANCELLATION, EXPIRATION, EXPIRATION]
      access: { ada: [], bob: [] }
`,
  ),
  story(
    "12_transfer.yaml",
    "What one account bought moves to another account",
    `
  - purchase: { customer: ada, product: notes.pro.monthly }
    as: s
    expect:
      events: [INITIAL_PURCHASE]
  - customer: bob
  - transfer: { from: ada, to: bob }
    expect:
      events: [{ type: TRANSFER, transferred_from: [ada], transferred_to: [bob] }]
      access: { ada: [], bob: [pro] }
  - to: 2026-02-28
    expect:
      events: [{ type: RENEWAL, app_user_id: bob }]
      access: { ada: [], bob: [pro] }
`,
  ),
  story(
    "17_alias_of_an_anonymous_user.yaml",
    "An anonymous customer buys and then signs in",
    `
  - purchase: { customer: "$RCAnonymousID:0123456789abcdef0123456789abcdef", product: notes.pro.monthly }
    as: s
    expect:
      events: [INITIAL_PURCHASE]
  - alias: { customer: "$RCAnonymousID:0123456789abcdef0123456789abcdef", alias: ada }
    expect:
      access: { ada: [pro] }
  - to: 2026-02-28
    expect:
      events_include:
        - type: RENEWAL
          aliases: { contains: ada }
      access: { ada: [pro], "$RCAnonymousID:0123456789abcdef0123456789abcdef": [pro] }
`,
  ),
  story(
    "18_grant_over_a_subscription.yaml",
    "A promotional grant keeps access when the subscription ends",
    `
  - purchase: { customer: ada, product: notes.pro.monthly }
    as: s
    expect:
      events: [INITIAL_PURCHASE]
  - grant: { customer: ada, entitlement: pro, for: P2M }
    expect:
      events: [{ type: NON_RENEWING_PURCHASE, store: PROMOTIONAL, period_type: PROMOTIONAL }]
  - cancel: s
  - to: 2026-03-01
    expect:
      events_include: [CANCELLATION, EXPIRATION]
      # The subscription has expired; the grant still gives access.
      access: { ada: [pro] }
  - to: 2026-04-01
    expect:
      events: [EXPIRATION]
      access: { ada: [] }
`,
  ),
];
