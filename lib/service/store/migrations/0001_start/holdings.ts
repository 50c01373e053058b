/**
 * Customers and what they hold: aliases, attributes, subscriptions, purchases and invoices.
 *
 * @module
 */

/** The statements. */
export const sql = `
CREATE TABLE customers (
  project_id TEXT NOT NULL REFERENCES projects (id),
  id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  first_seen_at INTEGER NOT NULL,
  last_seen_at INTEGER,
  last_seen_app_version TEXT,
  last_seen_country TEXT,
  last_seen_platform TEXT,
  last_seen_platform_version TEXT,
  paid_in INTEGER NOT NULL DEFAULT 0 CHECK (paid_in BETWEEN 0 AND 3),
  PRIMARY KEY (project_id, id),
  UNIQUE (project_id, seq)
) STRICT;
-- These hold all that charts of customers mostly read.
CREATE INDEX customers_by_first_seen ON customers (project_id, first_seen_at, paid_in);
CREATE INDEX customers_by_last_seen ON customers (project_id, last_seen_at, first_seen_at);

CREATE TABLE customer_attributes (
  project_id TEXT NOT NULL,
  customer_id TEXT NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (project_id, customer_id, name),
  FOREIGN KEY (project_id, customer_id) REFERENCES customers (project_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX customer_attributes_by_email ON customer_attributes (project_id, value, customer_id)
  WHERE name = '$email';

CREATE TABLE attribute_times (
  project_id TEXT NOT NULL,
  customer_id TEXT NOT NULL,
  name TEXT NOT NULL,
  sent_at INTEGER NOT NULL,
  PRIMARY KEY (project_id, customer_id, name),
  FOREIGN KEY (project_id, customer_id) REFERENCES customers (project_id, id) ON DELETE CASCADE
) STRICT;

-- What simulated stores have sold, and an app has yet to tell of.
CREATE TABLE receipts (
  project_id TEXT NOT NULL,
  token TEXT NOT NULL,
  app_id TEXT NOT NULL,
  sale TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  transaction_id TEXT,
  PRIMARY KEY (project_id, token),
  FOREIGN KEY (project_id, app_id) REFERENCES apps (project_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX receipts_by_app ON receipts (project_id, app_id);

CREATE TABLE customer_aliases (
  project_id TEXT NOT NULL,
  alias TEXT NOT NULL,
  customer_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (project_id, alias),
  UNIQUE (project_id, customer_id, seq),
  FOREIGN KEY (project_id, customer_id) REFERENCES customers (project_id, id) ON DELETE CASCADE
) STRICT;

-- The offering that a customer is shown in place of the current one.
CREATE TABLE assigned_offerings (
  project_id TEXT NOT NULL,
  customer_id TEXT NOT NULL,
  offering_id TEXT NOT NULL,
  PRIMARY KEY (project_id, customer_id),
  FOREIGN KEY (project_id, customer_id) REFERENCES customers (project_id, id) ON DELETE CASCADE,
  FOREIGN KEY (project_id, offering_id) REFERENCES offerings (project_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX assigned_offerings_by_offering ON assigned_offerings (project_id, offering_id);

CREATE TABLE subscriptions (
  project_id TEXT NOT NULL,
  id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  customer_id TEXT NOT NULL,
  original_customer_id TEXT NOT NULL,
  product_id TEXT,
  app_id TEXT,
  entitlement_id TEXT,
  store TEXT NOT NULL,
  environment TEXT NOT NULL CHECK (environment IN ('production', 'sandbox')),
  ownership TEXT NOT NULL CHECK (ownership IN ('purchased', 'family_shared')),
  status TEXT NOT NULL CHECK (status IN ('trialing', 'active', 'expired', 'in_grace_period',
    'in_billing_retry', 'paused', 'incomplete')),
  auto_renewal_status TEXT NOT NULL CHECK (auto_renewal_status IN ('will_renew', 'will_not_renew',
    'will_change_product', 'will_pause', 'requires_price_increase_consent',
    'has_already_renewed')),
  not_renewing_since INTEGER,
  period_type TEXT NOT NULL CHECK (period_type IN ('trial', 'normal', 'promotional')),
  starts_at INTEGER NOT NULL,
  paid_since INTEGER,
  period_starts_at INTEGER NOT NULL,
  period_ends_at INTEGER,
  renewed_until INTEGER,
  grace_ends_at INTEGER,
  retry_ends_at INTEGER,
  resumes_at INTEGER,
  anchor_at INTEGER NOT NULL,
  anchor_periods INTEGER NOT NULL,
  duration TEXT,
  grace_duration TEXT,
  trial_duration TEXT,
  currency TEXT NOT NULL,
  price_micros INTEGER NOT NULL CHECK (price_micros >= 0),
  pending_product_id TEXT,
  pending_price_micros INTEGER CHECK (pending_price_micros >= 0),
  country TEXT,
  platform TEXT NOT NULL,
  offering_id TEXT,
  transaction_id TEXT NOT NULL,
  original_transaction_id TEXT NOT NULL,
  transaction_count INTEGER NOT NULL,
  renewal_number INTEGER NOT NULL,
  charge_fails INTEGER NOT NULL CHECK (charge_fails IN (0, 1)),
  cancel_reason TEXT,
  shared_from_id TEXT,
  share_count INTEGER NOT NULL CHECK (share_count >= 0),
  gross_usd_micros INTEGER NOT NULL,
  commission_usd_micros INTEGER NOT NULL,
  tax_usd_micros INTEGER NOT NULL,
  event_count INTEGER NOT NULL,
  due_at INTEGER,
  PRIMARY KEY (project_id, id),
  UNIQUE (project_id, seq),
  FOREIGN KEY (project_id, customer_id) REFERENCES customers (project_id, id),
  FOREIGN KEY (project_id, product_id, app_id) REFERENCES products (project_id, id, app_id),
  FOREIGN KEY (project_id, pending_product_id) REFERENCES products (project_id, id),
  FOREIGN KEY (project_id, entitlement_id) REFERENCES entitlements (project_id, id)
    ON DELETE CASCADE,
  FOREIGN KEY (project_id, shared_from_id) REFERENCES subscriptions (project_id, id),
  -- A promotional grant gives an entitlement; everything else is a product of an app.
  CHECK ((store = 'promotional') = (entitlement_id IS NOT NULL)),
  CHECK ((store = 'promotional') = (product_id IS NULL)),
  CHECK ((product_id IS NULL) = (app_id IS NULL)),
  CHECK ((status = 'in_grace_period') = (grace_ends_at IS NOT NULL)),
  CHECK ((status = 'in_billing_retry') = (retry_ends_at IS NOT NULL)),
  CHECK ((auto_renewal_status = 'will_not_renew') = (not_renewing_since IS NOT NULL)),
  CHECK ((auto_renewal_status = 'has_already_renewed') = (renewed_until IS NOT NULL)),
  CHECK ((auto_renewal_status = 'will_change_product') = (pending_product_id IS NOT NULL)),
  CHECK (period_ends_at IS NOT NULL OR status = 'paused'),
  CHECK (status <> 'expired' OR (due_at IS NULL AND auto_renewal_status = 'will_not_renew'))
) STRICT;
CREATE INDEX subscriptions_by_customer ON subscriptions (project_id, customer_id, seq);
CREATE INDEX subscriptions_by_product ON subscriptions (project_id, product_id);
CREATE INDEX subscriptions_by_pending_product ON subscriptions (project_id, pending_product_id)
  WHERE pending_product_id IS NOT NULL;
CREATE INDEX subscriptions_by_entitlement ON subscriptions (project_id, entitlement_id)
  WHERE entitlement_id IS NOT NULL;
CREATE INDEX subscriptions_by_source ON subscriptions (project_id, shared_from_id)
  WHERE shared_from_id IS NOT NULL;
-- All others are found by their transactions.
CREATE INDEX subscriptions_by_transaction ON subscriptions (project_id, transaction_id)
  WHERE transaction_count = 0;
CREATE INDEX subscriptions_by_due ON subscriptions (project_id, due_at, seq)
  WHERE due_at IS NOT NULL;
CREATE UNIQUE INDEX subscriptions_live_grant
  ON subscriptions (project_id, customer_id, entitlement_id)
  WHERE store = 'promotional' AND status <> 'expired';

CREATE TABLE transactions (
  project_id TEXT NOT NULL,
  id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  subscription_id TEXT NOT NULL,
  product_store_identifier TEXT NOT NULL,
  period_type TEXT NOT NULL,
  purchased_at INTEGER NOT NULL,
  expires_at INTEGER,
  effective_expires_at INTEGER,
  status TEXT NOT NULL CHECK (status IN ('completed', 'refunded', 'pending', 'failed')),
  refunded_at INTEGER,
  currency TEXT NOT NULL,
  gross_micros INTEGER NOT NULL,
  commission_micros INTEGER NOT NULL,
  tax_micros INTEGER NOT NULL,
  gross_usd_micros INTEGER NOT NULL,
  commission_usd_micros INTEGER NOT NULL,
  tax_usd_micros INTEGER NOT NULL,
  PRIMARY KEY (project_id, id),
  FOREIGN KEY (project_id, subscription_id) REFERENCES subscriptions (project_id, id)
    ON DELETE CASCADE,
  CHECK ((status = 'refunded') = (refunded_at IS NOT NULL))
) STRICT;
CREATE INDEX transactions_by_subscription ON transactions (project_id, subscription_id, id);

CREATE TABLE purchases (
  project_id TEXT NOT NULL,
  id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  customer_id TEXT NOT NULL,
  original_customer_id TEXT NOT NULL,
  product_id TEXT NOT NULL,
  app_id TEXT NOT NULL,
  store TEXT NOT NULL,
  environment TEXT NOT NULL CHECK (environment IN ('production', 'sandbox')),
  ownership TEXT NOT NULL CHECK (ownership IN ('purchased', 'family_shared')),
  status TEXT NOT NULL CHECK (status IN ('owned', 'refunded')),
  purchased_at INTEGER NOT NULL,
  refunded_at INTEGER,
  quantity INTEGER NOT NULL CHECK (quantity >= 1),
  store_purchase_identifier TEXT NOT NULL,
  country TEXT,
  platform TEXT NOT NULL,
  offering_id TEXT,
  currency TEXT NOT NULL,
  gross_micros INTEGER NOT NULL,
  commission_micros INTEGER NOT NULL,
  tax_micros INTEGER NOT NULL,
  gross_usd_micros INTEGER NOT NULL,
  commission_usd_micros INTEGER NOT NULL,
  tax_usd_micros INTEGER NOT NULL,
  PRIMARY KEY (project_id, id),
  UNIQUE (project_id, seq),
  UNIQUE (project_id, store_purchase_identifier),
  FOREIGN KEY (project_id, customer_id) REFERENCES customers (project_id, id),
  FOREIGN KEY (project_id, product_id, app_id) REFERENCES products (project_id, id, app_id),
  CHECK ((status = 'refunded') = (refunded_at IS NOT NULL))
) STRICT;
CREATE INDEX purchases_by_customer ON purchases (project_id, customer_id, seq);
CREATE INDEX purchases_by_product ON purchases (project_id, product_id);

CREATE TABLE invoices (
  project_id TEXT NOT NULL,
  id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  customer_id TEXT NOT NULL,
  subscription_id TEXT,
  purchase_id TEXT,
  product_identifier TEXT NOT NULL,
  product_display_name TEXT,
  product_duration TEXT,
  quantity INTEGER NOT NULL CHECK (quantity >= 1),
  currency TEXT NOT NULL,
  gross_micros INTEGER NOT NULL,
  commission_micros INTEGER NOT NULL,
  tax_micros INTEGER NOT NULL,
  issued_at INTEGER NOT NULL,
  paid_at INTEGER,
  PRIMARY KEY (project_id, id),
  FOREIGN KEY (project_id, customer_id) REFERENCES customers (project_id, id),
  FOREIGN KEY (project_id, subscription_id) REFERENCES subscriptions (project_id, id)
    ON DELETE CASCADE,
  FOREIGN KEY (project_id, purchase_id) REFERENCES purchases (project_id, id) ON DELETE CASCADE,
  CHECK ((subscription_id IS NULL) <> (purchase_id IS NULL))
) STRICT;
CREATE INDEX invoices_by_customer ON invoices (project_id, customer_id, seq);
CREATE INDEX invoices_by_subscription ON invoices (project_id, subscription_id)
  WHERE subscription_id IS NOT NULL;
CREATE INDEX invoices_by_purchase ON invoices (project_id, purchase_id)
  WHERE purchase_id IS NOT NULL;
`;
