/**
 * The catalogue, its people, their tokens.
 *
 * @module
 */

/** The statements of this step. */
export const sql = `
CREATE TABLE settings (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT;

CREATE TABLE accounts (
  id TEXT NOT NULL PRIMARY KEY,
  email TEXT NOT NULL UNIQUE,
  name TEXT,
  has_mfa INTEGER NOT NULL DEFAULT 0 CHECK (has_mfa IN (0, 1)),
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE projects (
  id TEXT NOT NULL PRIMARY KEY,
  seq INTEGER NOT NULL UNIQUE,
  name TEXT NOT NULL,
  icon_url TEXT,
  icon_url_large TEXT,
  created_at INTEGER NOT NULL,
  last_seq INTEGER NOT NULL DEFAULT 0,
  current_offering_id TEXT,
  current_offering_state TEXT NOT NULL DEFAULT 'active' CHECK (current_offering_state = 'active'),
  clock_offset INTEGER NOT NULL DEFAULT 0,
  clock_frozen_at INTEGER,
  FOREIGN KEY (id, current_offering_id, current_offering_state)
    REFERENCES offerings (project_id, id, state) DEFERRABLE INITIALLY DEFERRED
) STRICT;

CREATE TABLE collaborators (
  project_id TEXT NOT NULL REFERENCES projects (id),
  id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  account_id TEXT REFERENCES accounts (id),
  name TEXT,
  email TEXT NOT NULL,
  role TEXT NOT NULL,
  accepted_at INTEGER,
  has_mfa INTEGER NOT NULL DEFAULT 0 CHECK (has_mfa IN (0, 1)),
  PRIMARY KEY (project_id, id),
  UNIQUE (project_id, seq),
  UNIQUE (project_id, email),
  CHECK (accepted_at IS NULL OR account_id IS NOT NULL)
) STRICT;
CREATE INDEX collaborators_by_account ON collaborators (account_id, project_id);

CREATE TABLE apps (
  project_id TEXT NOT NULL REFERENCES projects (id),
  id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  settings TEXT NOT NULL,
  secrets TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (project_id, id),
  UNIQUE (project_id, seq)
) STRICT;

CREATE TABLE app_keys (
  project_id TEXT NOT NULL,
  app_id TEXT NOT NULL,
  id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  key TEXT NOT NULL UNIQUE,
  environment TEXT NOT NULL CHECK (environment IN ('production', 'sandbox')),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (project_id, id),
  UNIQUE (project_id, app_id, environment),
  FOREIGN KEY (project_id, app_id) REFERENCES apps (project_id, id) ON DELETE CASCADE
) STRICT;

CREATE TABLE products (
  project_id TEXT NOT NULL,
  id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  app_id TEXT NOT NULL,
  store_identifier TEXT NOT NULL,
  type TEXT NOT NULL,
  display_name TEXT,
  title TEXT,
  state TEXT NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'inactive')),
  duration TEXT,
  grace_period_duration TEXT,
  trial_duration TEXT,
  is_consumable INTEGER CHECK (is_consumable IN (0, 1)),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (project_id, id),
  UNIQUE (project_id, seq),
  UNIQUE (project_id, id, app_id),
  UNIQUE (project_id, app_id, store_identifier),
  FOREIGN KEY (project_id, app_id) REFERENCES apps (project_id, id)
) STRICT;

CREATE TABLE entitlements (
  project_id TEXT NOT NULL REFERENCES projects (id),
  id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  lookup_key TEXT NOT NULL,
  display_name TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'inactive')),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (project_id, id),
  UNIQUE (project_id, seq),
  UNIQUE (project_id, lookup_key)
) STRICT;

CREATE TABLE entitlement_products (
  project_id TEXT NOT NULL,
  entitlement_id TEXT NOT NULL,
  product_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (project_id, entitlement_id, product_id),
  FOREIGN KEY (project_id, entitlement_id) REFERENCES entitlements (project_id, id) ON DELETE CASCADE,
  FOREIGN KEY (project_id, product_id) REFERENCES products (project_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX entitlement_products_by_product ON entitlement_products (project_id, product_id);

CREATE TABLE offerings (
  project_id TEXT NOT NULL REFERENCES projects (id),
  id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  lookup_key TEXT NOT NULL,
  display_name TEXT NOT NULL,
  metadata TEXT,
  state TEXT NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'inactive')),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (project_id, id),
  UNIQUE (project_id, id, state),
  UNIQUE (project_id, seq),
  UNIQUE (project_id, lookup_key)
) STRICT;

CREATE TABLE packages (
  project_id TEXT NOT NULL,
  id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  offering_id TEXT NOT NULL,
  lookup_key TEXT NOT NULL,
  display_name TEXT NOT NULL,
  position INTEGER CHECK (position >= 0),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (project_id, id),
  UNIQUE (project_id, seq),
  UNIQUE (project_id, offering_id, lookup_key),
  FOREIGN KEY (project_id, offering_id) REFERENCES offerings (project_id, id) ON DELETE CASCADE
) STRICT;

-- A package holds one product of an app for each range of SDK versions: 'all' is in both ranges.
CREATE TABLE package_products (
  project_id TEXT NOT NULL,
  package_id TEXT NOT NULL,
  product_id TEXT NOT NULL,
  app_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  eligibility_criteria TEXT NOT NULL
    CHECK (eligibility_criteria IN ('all', 'google_sdk_lt_6', 'google_sdk_ge_6')),
  PRIMARY KEY (project_id, package_id, product_id),
  FOREIGN KEY (project_id, package_id) REFERENCES packages (project_id, id) ON DELETE CASCADE,
  FOREIGN KEY (project_id, product_id, app_id)
    REFERENCES products (project_id, id, app_id) ON DELETE CASCADE
) STRICT;
CREATE INDEX package_products_by_product ON package_products (project_id, product_id);
CREATE UNIQUE INDEX package_products_old_sdk ON package_products (project_id, package_id, app_id)
  WHERE eligibility_criteria IN ('all', 'google_sdk_lt_6');
CREATE UNIQUE INDEX package_products_new_sdk ON package_products (project_id, package_id, app_id)
  WHERE eligibility_criteria IN ('all', 'google_sdk_ge_6');

CREATE TABLE audit_logs (
  project_id TEXT NOT NULL REFERENCES projects (id),
  id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  action_type TEXT NOT NULL,
  target_type TEXT NOT NULL,
  target_identifier TEXT NOT NULL,
  actor_type TEXT NOT NULL,
  actor_identifier TEXT NOT NULL,
  occurred_at INTEGER NOT NULL,
  additional_data TEXT NOT NULL,
  PRIMARY KEY (project_id, id),
  UNIQUE (project_id, seq)
) STRICT;

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
  PRIMARY KEY (project_id, id),
  UNIQUE (project_id, seq)
) STRICT;

CREATE TABLE customer_attributes (
  project_id TEXT NOT NULL,
  customer_id TEXT NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (project_id, customer_id, name),
  FOREIGN KEY (project_id, customer_id) REFERENCES customers (project_id, id) ON DELETE CASCADE
) STRICT;

CREATE TABLE tombstones (
  project_id TEXT NOT NULL REFERENCES projects (id),
  object TEXT NOT NULL,
  id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  position INTEGER,
  deleted_at INTEGER NOT NULL,
  PRIMARY KEY (project_id, object, id)
) STRICT;

CREATE TABLE grants (
  id TEXT NOT NULL PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  client_id TEXT NOT NULL,
  scope TEXT NOT NULL,
  rotates INTEGER NOT NULL CHECK (rotates IN (0, 1)),
  created_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT;

CREATE TABLE refresh_tokens (
  hash TEXT NOT NULL PRIMARY KEY,
  grant_id TEXT NOT NULL REFERENCES grants (id),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  rotated_at INTEGER
) STRICT;
CREATE INDEX refresh_tokens_by_grant ON refresh_tokens (grant_id);

CREATE TABLE access_tokens (
  hash TEXT NOT NULL PRIMARY KEY,
  grant_id TEXT NOT NULL REFERENCES grants (id),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX access_tokens_by_grant ON access_tokens (grant_id);
CREATE INDEX access_tokens_by_expiry ON access_tokens (expires_at);

CREATE TABLE idempotency_keys (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  key TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  status INTEGER NOT NULL,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, key)
) STRICT;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
`;
