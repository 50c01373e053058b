/**
 * The catalogue and who works on it.
 *
 * @module
 */

/** The statements. */
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
  clock_advancing_to INTEGER,
  clock_runs_after INTEGER NOT NULL DEFAULT 0
    CHECK (clock_runs_after IN (0, 1)),
  refund_window_days INTEGER NOT NULL DEFAULT 180
    CHECK (refund_window_days >= 0),
  restore_behavior TEXT NOT NULL DEFAULT 'transfer'
    CHECK (restore_behavior IN ('transfer', 'share', 'keep')),
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
  -- 1: it was created with the public name of its type, and shows that.
  public_spelling INTEGER NOT NULL DEFAULT 0 CHECK (public_spelling IN (0, 1)),
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
  -- The store's price, which only the simulator can set.
  price_micros INTEGER CHECK (price_micros >= 0),
  price_currency TEXT,
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

CREATE TABLE paywalls (
  project_id TEXT NOT NULL,
  id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  offering_id TEXT NOT NULL,
  name TEXT,
  created_at INTEGER NOT NULL,
  published_at INTEGER,
  revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0),
  content TEXT,
  PRIMARY KEY (project_id, id),
  UNIQUE (project_id, seq),
  UNIQUE (project_id, offering_id),
  FOREIGN KEY (project_id, offering_id) REFERENCES offerings (project_id, id) ON DELETE CASCADE,
  CHECK ((content IS NULL) = (published_at IS NULL)),
  CHECK ((content IS NULL) = (revision = 0))
) STRICT;

-- The id of a currency is its code.
CREATE TABLE virtual_currencies (
  project_id TEXT NOT NULL REFERENCES projects (id),
  id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  name TEXT NOT NULL,
  description TEXT,
  product_grants TEXT,
  state TEXT NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'inactive')),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (project_id, id),
  UNIQUE (project_id, seq)
) STRICT;

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

CREATE TABLE tombstones (
  project_id TEXT NOT NULL REFERENCES projects (id),
  object TEXT NOT NULL,
  id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  position INTEGER,
  deleted_at INTEGER NOT NULL,
  PRIMARY KEY (project_id, object, id)
) STRICT;
`;
