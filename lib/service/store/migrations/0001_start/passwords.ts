/**
 * Who may come in: passwords, the links that set them, tries, and people as a provider knows them.
 *
 * @module
 */

/** The statements. */
export const sql = `
CREATE TABLE passwords (
  account_id TEXT NOT NULL PRIMARY KEY REFERENCES accounts (id),
  hash TEXT NOT NULL,
  changed_at INTEGER NOT NULL
) STRICT;

CREATE TABLE password_links (
  hash TEXT NOT NULL PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX password_links_by_account ON password_links (account_id);
CREATE INDEX password_links_by_expiry ON password_links (expires_at);

CREATE TABLE sign_in_tries (
  subject TEXT NOT NULL PRIMARY KEY,
  tries INTEGER NOT NULL CHECK (tries > 0),
  locked_until INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sign_in_tries_by_expiry ON sign_in_tries (expires_at);

CREATE TABLE identities (
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (issuer, subject),
  UNIQUE (issuer, account_id)
) STRICT;
CREATE INDEX identities_by_account ON identities (account_id);
`;
