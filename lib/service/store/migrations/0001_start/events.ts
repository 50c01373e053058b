/**
 * Events, webhook integrations with their deliveries and attempts, and listeners: programs that
 * fetch events.
 *
 * @module
 */

/** The statements. */
export const sql = `
CREATE TABLE events (
  project_id TEXT NOT NULL REFERENCES projects (id),
  id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  type TEXT NOT NULL,
  customer_id TEXT NOT NULL,
  app_id TEXT,
  environment TEXT NOT NULL CHECK (environment IN ('production', 'sandbox')),
  created_at INTEGER NOT NULL,
  payload TEXT NOT NULL,
  PRIMARY KEY (project_id, id),
  UNIQUE (project_id, seq)
) STRICT;
CREATE INDEX events_by_customer ON events (project_id, customer_id, seq);

CREATE TABLE webhook_integrations (
  project_id TEXT NOT NULL REFERENCES projects (id),
  id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  name TEXT NOT NULL,
  url TEXT NOT NULL,
  event_types TEXT,
  authorization_header TEXT,
  environment TEXT CHECK (environment IN ('production', 'sandbox')),
  app_id TEXT,
  signing_secret TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  previous_secret TEXT,
  previous_secret_until INTEGER,
  disabled_at INTEGER,
  pruned_seq INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (project_id, id),
  UNIQUE (project_id, seq),
  FOREIGN KEY (project_id, app_id) REFERENCES apps (project_id, id)
) STRICT;
CREATE INDEX webhook_integrations_by_app ON webhook_integrations (project_id, app_id)
  WHERE app_id IS NOT NULL;

CREATE TABLE deliveries (
  project_id TEXT NOT NULL,
  id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  integration_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  customer_id TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'pending'
    CHECK (state IN ('pending', 'delivered', 'dead', 'dropped')),
  tries INTEGER NOT NULL DEFAULT 0 CHECK (tries >= 0),
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= tries),
  ready_at INTEGER,
  lease TEXT,
  finished_at INTEGER,
  leased_at INTEGER,
  once INTEGER NOT NULL DEFAULT 0 CHECK (once IN (0, 1)),
  -- What is sent, where the event itself has lost its personal attributes since.
  payload TEXT CHECK (payload IS NULL OR state = 'pending'),
  PRIMARY KEY (project_id, id),
  UNIQUE (project_id, integration_id, seq),
  UNIQUE (project_id, event_id, integration_id),
  FOREIGN KEY (project_id, integration_id) REFERENCES webhook_integrations (project_id, id)
    ON DELETE CASCADE,
  FOREIGN KEY (project_id, event_id) REFERENCES events (project_id, id) ON DELETE CASCADE,
  CHECK (ready_at IS NULL OR state = 'pending'),
  CHECK (lease IS NULL OR ready_at IS NOT NULL),
  CHECK ((finished_at IS NULL) = (state = 'pending'))
) STRICT;
CREATE INDEX deliveries_ready ON deliveries (project_id, integration_id, ready_at, seq)
  WHERE ready_at IS NOT NULL;
-- Of one customer's, one is ready; the others wait in this order.
CREATE INDEX deliveries_waiting ON deliveries (project_id, integration_id, customer_id, seq)
  WHERE state = 'pending';
CREATE UNIQUE INDEX deliveries_first ON deliveries (project_id, integration_id, customer_id)
  WHERE ready_at IS NOT NULL;
CREATE INDEX deliveries_leased ON deliveries (project_id) WHERE lease IS NOT NULL;
CREATE INDEX deliveries_delivered ON deliveries (finished_at) WHERE state = 'delivered';

CREATE TABLE attempts (
  project_id TEXT NOT NULL,
  delivery_id TEXT NOT NULL,
  number INTEGER NOT NULL CHECK (number >= 1),
  started_at INTEGER NOT NULL,
  url TEXT NOT NULL,
  address TEXT,
  request_headers TEXT NOT NULL,
  status INTEGER,
  response_headers TEXT,
  response_body TEXT,
  response_cut INTEGER NOT NULL CHECK (response_cut IN (0, 1)),
  error TEXT,
  timing TEXT NOT NULL,
  next_attempt_at INTEGER,
  PRIMARY KEY (project_id, delivery_id, number),
  FOREIGN KEY (project_id, delivery_id) REFERENCES deliveries (project_id, id) ON DELETE CASCADE,
  CHECK ((status IS NULL) = (response_headers IS NULL))
) STRICT;
CREATE INDEX attempts_by_time ON attempts (started_at);
CREATE INDEX attempts_with_body ON attempts (started_at) WHERE response_body IS NOT NULL;

CREATE TABLE listeners (
  project_id TEXT NOT NULL REFERENCES projects (id),
  name TEXT NOT NULL CHECK (name <> ''),
  acknowledged INTEGER NOT NULL CHECK (acknowledged >= 0),
  secret TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  session TEXT,
  PRIMARY KEY (project_id, name)
) STRICT;
`;
