/**
 * Signing in: clients, the forms that ask for consent, codes, grants and tokens; and the answers kept
 * for idempotency keys.
 *
 * @module
 */

/** The statements. */
export const sql = `
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
  sender TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  answered_at INTEGER,
  -- Who has signed in on this page, where the service asks for that.
  account_id TEXT REFERENCES accounts (id)
) STRICT;
CREATE INDEX consent_forms_by_account ON consent_forms (account_id);
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
CREATE INDEX refresh_tokens_by_expiry ON refresh_tokens (expires_at);

CREATE TABLE access_tokens (
  hash TEXT NOT NULL PRIMARY KEY,
  grant_id TEXT NOT NULL REFERENCES grants (id),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  scope TEXT
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

INSERT INTO clients (id, name, created_at) VALUES ('svc-cli', 'Command-line client', 0);
INSERT INTO client_redirect_uris (client_id, uri) VALUES
  ('svc-cli', 'http://127.0.0.1/callback'),
  ('svc-cli', 'http://[::1]/callback');
`;
