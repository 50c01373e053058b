/**
 * Signing in: clients, the forms that ask for consent, and authorization codes.
 *
 * @module
 */

/** The statements of this step. */
export const sql = `
ALTER TABLE access_tokens ADD COLUMN scope TEXT;
CREATE INDEX refresh_tokens_by_expiry ON refresh_tokens (expires_at);

CREATE TABLE clients (
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE client_redirect_uris (
  client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
  uri TEXT NOT NULL,
  PRIMARY KEY (client_id, uri)
) STRICT;

CREATE TABLE consent_forms (
  hash TEXT NOT NULL PRIMARY KEY,
  cookie_hash TEXT NOT NULL,
  client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
  redirect_uri TEXT NOT NULL,
  scope TEXT NOT NULL,
  challenge TEXT NOT NULL,
  state TEXT,
  expires_at INTEGER NOT NULL,
  answered_at INTEGER
) STRICT;
CREATE INDEX consent_forms_by_expiry ON consent_forms (expires_at);

CREATE TABLE authorization_codes (
  hash TEXT NOT NULL PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
  redirect_uri TEXT NOT NULL,
  scope TEXT NOT NULL,
  challenge TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER,
  grant_id TEXT REFERENCES grants (id) ON DELETE SET NULL,
  CHECK (grant_id IS NULL OR used_at IS NOT NULL)
) STRICT;
CREATE INDEX authorization_codes_by_expiry ON authorization_codes (expires_at);
CREATE INDEX authorization_codes_by_grant ON authorization_codes (grant_id);

INSERT INTO clients (id, name, created_at) VALUES ('svc-cli', 'Command-line client', 0);
INSERT INTO client_redirect_uris (client_id, uri) VALUES
  ('svc-cli', 'http://127.0.0.1/callback'),
  ('svc-cli', 'http://[::1]/callback');
`;
