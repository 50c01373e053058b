/**
 * What the OAuth endpoints share.
 *
 * @module
 */

import type { Clock } from "../time/clock.ts";
import type { Store, Tx } from "../store/mod.ts";
import { OAuthRefusal, type Outcome } from "./refusal.ts";
import type { Passwords } from "./scrypt.ts";
import type { Provider } from "./provider.ts";
import type { TokenCache } from "./token_cache.ts";
import type { Lifetimes, Span } from "./tokens.ts";

/** How people show who they are. */
export type SignInWay =
  /** They choose an account: whoever reaches the service is trusted. */
  | { kind: "open" }
  /** They type the account's password. */
  | { kind: "password"; passwords: Passwords }
  /** An OpenID Connect provider says who they are. */
  | { kind: "oidc"; provider: Provider };

/** What the OAuth endpoints work with. */
export interface OAuthParts {
  /** The database. */
  store: Store;
  /** Wall time. */
  clock: Clock;
  /** How long things are good for. */
  lifetimes: Lifetimes;
  /** The access tokens in use. */
  cache: TokenCache;
  /** The service's address; undefined: the one that the request was sent to. */
  issuer: string | undefined;
  /** The account in whose name every valid request is allowed without asking. */
  autoApprove: string | undefined;
  /** How people show who they are. */
  way: SignInWay;
}

/**
 * Runs work in one transaction. What it did is kept even when it ends in a refusal, which is thrown
 * afterwards.
 */
export async function commit<T>(
  parts: OAuthParts,
  work: (tx: Tx, span: Span) => Promise<Outcome<T>>,
): Promise<T> {
  const span = { now: parts.clock(), lifetimes: parts.lifetimes };
  const { value, stale } = await parts.store.write((tx) => work(tx, span));
  if (stale !== undefined) parts.cache.forget(stale);
  if (value instanceof OAuthRefusal) throw value;
  return value;
}

/** The service's own address, as its metadata and the `iss` of its answers tell it. */
export function issuerOf(parts: OAuthParts, request: Request): string {
  return parts.issuer ?? new URL(request.url).origin;
}
