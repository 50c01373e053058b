/**
 * The tables of who may come in: passwords, the links that set them, tries, identities.
 *
 * @module
 */

/** A person's password, as scrypt leaves it, with the parameters. */
interface PasswordRow {
  account_id: string;
  hash: string;
  changed_at: number;
}

/** A one-time link on which a person sets the password. Only its SHA-256 is kept. */
interface PasswordLinkRow {
  hash: string;
  account_id: string;
  expires_at: number;
}

/** The latest tries to sign in as somebody, or from somewhere. */
interface SignInTryRow {
  /** Whose tries: `account:` with a hash of the e-mail address, or `address:` with a network. */
  subject: string;
  tries: number;
  /** Until then further tries are refused. */
  locked_until: number;
  expires_at: number;
}

/** A person as an OpenID Connect provider knows them. */
interface IdentityRow {
  issuer: string;
  /** The provider's own id of the person. */
  subject: string;
  account_id: string;
  created_at: number;
}

/** Tables of signing in besides those of OAuth. */
export interface SignInTables {
  passwords: PasswordRow;
  password_links: PasswordLinkRow;
  sign_in_tries: SignInTryRow;
  identities: IdentityRow;
}
