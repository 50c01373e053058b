/**
 * Paywalls, virtual currencies and webhook integrations.
 *
 * @module
 */

/** The statements of this step. */
export const sql = `
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
  PRIMARY KEY (project_id, id),
  UNIQUE (project_id, seq),
  FOREIGN KEY (project_id, app_id) REFERENCES apps (project_id, id)
) STRICT;
`;
