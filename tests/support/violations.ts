/**
 * For each CHECK of the schema a row that breaks it and no other one.
 *
 * @module
 */

/** Values of some columns of a row. */
export type Values = Readonly<Record<string, string | number | null>>;

/** What is known of a table that has a CHECK. */
export interface TableRules {
  /** What a good row has, where the value made up for a column of its type would break a CHECK. */
  readonly good: Values;
  /** By the condition of each CHECK, what is changed in a good row to break it and no other one. */
  readonly broken: Readonly<Record<string, readonly Values[]>>;
}

const ENVIRONMENT = { "environment IN ('production', 'sandbox')": [{ environment: "test" }] };
const OWNERSHIP = { "ownership IN ('purchased', 'family_shared')": [{ ownership: "lent" }] };
const STATE = { "state IN ('active', 'inactive')": [{ state: "archived" }] };
const MFA = { "has_mfa IN (0, 1)": [{ has_mfa: 2 }, { has_mfa: -1 }] };
const REFUNDED = {
  "(status = 'refunded') = (refunded_at IS NOT NULL)": [
    { status: "refunded", refunded_at: null },
    { refunded_at: 5 },
  ],
};

/** All tables that have a CHECK, by name. */
export const VIOLATIONS: Readonly<Record<string, TableRules>> = {
  accounts: { good: {}, broken: MFA },
  projects: {
    good: {},
    broken: {
      "current_offering_state = 'active'": [{ current_offering_state: "inactive" }],
      "clock_runs_after IN (0, 1)": [{ clock_runs_after: 2 }],
      "refund_window_days >= 0": [{ refund_window_days: -1 }],
      "restore_behavior IN ('transfer', 'share', 'keep')": [{ restore_behavior: "sell" }],
    },
  },
  collaborators: {
    good: {},
    broken: { ...MFA, "accepted_at IS NULL OR account_id IS NOT NULL": [{ accepted_at: 5 }] },
  },
  apps: {
    good: { public_spelling: 0 },
    broken: { "public_spelling IN (0, 1)": [{ public_spelling: 2 }] },
  },
  customers: {
    good: {},
    broken: { "paid_in BETWEEN 0 AND 3": [{ paid_in: 4 }, { paid_in: -1 }] },
  },
  currency_balances: {
    good: { balance: 0 },
    broken: { "balance BETWEEN 0 AND 2000000000": [{ balance: -1 }, { balance: 2_000_000_001 }] },
  },
  currency_entries: {
    good: { amount: 1, source: "admin_api" },
    broken: {
      "amount <> 0": [{ amount: 0 }],
      "source IN ('in_app_purchase', 'admin_api')": [{ source: "gift" }],
    },
  },
  app_keys: { good: { environment: "sandbox" }, broken: ENVIRONMENT },
  products: {
    good: { price_micros: 0, is_consumable: 0 },
    broken: {
      ...STATE,
      "is_consumable IN (0, 1)": [{ is_consumable: 2 }],
      "price_micros >= 0": [{ price_micros: -1 }],
    },
  },
  entitlements: { good: {}, broken: STATE },
  offerings: { good: {}, broken: STATE },
  packages: { good: { position: 0 }, broken: { "position >= 0": [{ position: -1 }] } },
  package_products: {
    good: { eligibility_criteria: "all" },
    broken: {
      "eligibility_criteria IN ('all', 'google_sdk_lt_6', 'google_sdk_ge_6')": [
        { eligibility_criteria: "some" },
      ],
    },
  },
  paywalls: {
    good: {},
    broken: {
      "revision >= 0": [{ revision: -1, content: "{}", published_at: 5 }],
      "(content IS NULL) = (published_at IS NULL)": [
        { published_at: 5 },
        { content: "{}", revision: 1 },
      ],
      "(content IS NULL) = (revision = 0)": [
        { revision: 1 },
        { content: "{}", published_at: 5, revision: 0 },
      ],
    },
  },
  virtual_currencies: { good: {}, broken: STATE },
  authorization_codes: {
    good: {},
    broken: { "grant_id IS NULL OR used_at IS NOT NULL": [{ grant_id: "g" }] },
  },
  grants: { good: { rotates: 0 }, broken: { "rotates IN (0, 1)": [{ rotates: 2 }] } },
  sign_in_tries: { good: { tries: 1 }, broken: { "tries > 0": [{ tries: 0 }] } },
  subscriptions: {
    good: {
      store: "app_store",
      environment: "sandbox",
      ownership: "purchased",
      status: "active",
      auto_renewal_status: "will_renew",
      period_type: "normal",
      period_ends_at: 5,
      product_id: "prod1",
      app_id: "app1",
      price_micros: 0,
      pending_price_micros: 0,
      charge_fails: 0,
      share_count: 0,
    },
    broken: {
      ...ENVIRONMENT,
      ...OWNERSHIP,
      "status IN ('trialing', 'active', 'expired', 'in_grace_period', 'in_billing_retry', 'paused', 'incomplete')":
        [{ status: "lapsed" }],
      "auto_renewal_status IN ('will_renew', 'will_not_renew', 'will_change_product', 'will_pause', 'requires_price_increase_consent', 'has_already_renewed')":
        [{ auto_renewal_status: "will_see" }],
      "period_type IN ('trial', 'normal', 'promotional')": [{ period_type: "intro" }],
      "price_micros >= 0": [{ price_micros: -1 }],
      "pending_price_micros >= 0": [{ pending_price_micros: -1 }],
      "charge_fails IN (0, 1)": [{ charge_fails: 2 }],
      "share_count >= 0": [{ share_count: -1 }],
      "(store = 'promotional') = (entitlement_id IS NOT NULL)": [
        { entitlement_id: "entl1" },
        { store: "promotional", product_id: null, app_id: null },
      ],
      "(store = 'promotional') = (product_id IS NULL)": [
        { product_id: null, app_id: null },
        { store: "promotional", entitlement_id: "entl1" },
      ],
      "(product_id IS NULL) = (app_id IS NULL)": [
        { app_id: null },
        { store: "promotional", entitlement_id: "entl1", product_id: null },
      ],
      "(status = 'in_grace_period') = (grace_ends_at IS NOT NULL)": [
        { status: "in_grace_period" },
        { grace_ends_at: 5 },
      ],
      "(status = 'in_billing_retry') = (retry_ends_at IS NOT NULL)": [
        { status: "in_billing_retry" },
        { retry_ends_at: 5 },
      ],
      "(auto_renewal_status = 'will_not_renew') = (not_renewing_since IS NOT NULL)": [
        { auto_renewal_status: "will_not_renew" },
        { not_renewing_since: 5 },
      ],
      "(auto_renewal_status = 'has_already_renewed') = (renewed_until IS NOT NULL)": [
        { auto_renewal_status: "has_already_renewed" },
        { renewed_until: 5 },
      ],
      "(auto_renewal_status = 'will_change_product') = (pending_product_id IS NOT NULL)": [
        { auto_renewal_status: "will_change_product" },
        { pending_product_id: "prod2" },
      ],
      "period_ends_at IS NOT NULL OR status = 'paused'": [{ period_ends_at: null }],
      "status <> 'expired' OR (due_at IS NULL AND auto_renewal_status = 'will_not_renew')": [
        { status: "expired" },
        {
          status: "expired",
          auto_renewal_status: "will_not_renew",
          not_renewing_since: 5,
          due_at: 5,
        },
      ],
    },
  },
  transactions: {
    good: { status: "completed" },
    broken: {
      "status IN ('completed', 'refunded', 'pending', 'failed')": [{ status: "owned" }],
      ...REFUNDED,
    },
  },
  purchases: {
    good: { environment: "production", ownership: "family_shared", status: "owned", quantity: 1 },
    broken: {
      ...ENVIRONMENT,
      ...OWNERSHIP,
      "status IN ('owned', 'refunded')": [{ status: "lost" }],
      "quantity >= 1": [{ quantity: 0 }],
      ...REFUNDED,
    },
  },
  invoices: {
    good: { quantity: 1, purchase_id: "purc1" },
    broken: {
      "quantity >= 1": [{ quantity: 0 }],
      "(subscription_id IS NULL) <> (purchase_id IS NULL)": [
        { purchase_id: null },
        { subscription_id: "sub1" },
      ],
    },
  },
  events: { good: { environment: "production" }, broken: ENVIRONMENT },
  webhook_integrations: { good: {}, broken: ENVIRONMENT },
  deliveries: {
    good: { tries: 0, attempts: 0 },
    broken: {
      "state IN ('pending', 'delivered', 'dead', 'dropped')": [{ state: "lost", finished_at: 5 }],
      "tries >= 0": [{ tries: -1 }],
      "attempts >= tries": [{ tries: 1 }],
      "once IN (0, 1)": [{ once: 2 }],
      "payload IS NULL OR state = 'pending'": [
        { payload: "{}", state: "dead", finished_at: 5, ready_at: null },
      ],
      "ready_at IS NULL OR state = 'pending'": [{ state: "dead", finished_at: 5, ready_at: 5 }],
      "lease IS NULL OR ready_at IS NOT NULL": [{ lease: "x" }],
      "(finished_at IS NULL) = (state = 'pending')": [
        { finished_at: 5 },
        { state: "delivered" },
      ],
    },
  },
  attempts: {
    good: { number: 1, response_cut: 0 },
    broken: {
      "number >= 1": [{ number: 0 }],
      "response_cut IN (0, 1)": [{ response_cut: 2 }],
      "(status IS NULL) = (response_headers IS NULL)": [
        { status: 200 },
        { response_headers: "{}" },
      ],
    },
  },
  listeners: {
    good: { name: "default", acknowledged: 0 },
    broken: { "name <> ''": [{ name: "" }], "acknowledged >= 0": [{ acknowledged: -1 }] },
  },
  request_faults: { good: {}, broken: { "count > 0": [{ count: 0 }] } },
  delivery_faults: {
    good: { fault: "drop" },
    broken: {
      "fault IN ('duplicate', 'drop', 'reorder')": [{ fault: "late" }],
      "count > 0": [{ count: 0 }],
    },
  },
  catch_ups: { good: {}, broken: { "done >= 0": [{ done: -1 }] } },
  leader: { good: { place: 1 }, broken: { "place = 1": [{ place: 2 }] } },
};
