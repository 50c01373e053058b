/**
 * Signing in: who a token stands for, and the OAuth 2.0 endpoints that give tokens out.
 *
 * @module
 */

import { type Clock, systemClock } from "../time/clock.ts";
import { invalid, Refusal } from "../contract/errors.ts";
import type { Actor } from "../contract/route.ts";
import { ALL_SCOPES } from "../contract/scopes.ts";
import { type OpenRoute, readable } from "../http/open_server.ts";
import { sharedSearch } from "../records/shared_search.ts";
import type { Store, Tx } from "../store/mod.ts";
import { findAccount } from "./accounts.ts";
import { readAdmission } from "./admission.ts";
import { authorizeRoutes } from "./authorize_endpoint.ts";
import { BUILT_IN_CLIENT } from "./clients.ts";
import { answerMetadata, METADATA_PATH } from "./metadata.ts";
import { commit, type OAuthParts, type SignInWay } from "./parts.ts";
import { linkAddress, type PasswordLink, passwordRoutes } from "./password_endpoint.ts";
import { addLink } from "./passwords.ts";
import { createProvider } from "./provider.ts";
import { providerRoutes } from "./provider_endpoint.ts";
import { parseScope } from "./scope.ts";
import { createPasswords, type ScryptCost } from "./scrypt.ts";
import { signInRoutes } from "./sign_in_endpoint.ts";
import { createTokenCache, type LiveToken } from "./token_cache.ts";
import { tokenRoutes } from "./token_endpoint.ts";
import {
  findAccessToken,
  LIFETIMES,
  type Lifetimes,
  startGrant,
  type TokenPair,
} from "./tokens.ts";

export { addAccount, findAccount, listAccounts, removeAccount } from "./accounts.ts";
export { addClient, BUILT_IN_CLIENT } from "./clients.ts";
export { LIFETIMES, type Lifetimes } from "./tokens.ts";

/** Signing in, as the rest of the service sees it. */
export interface OAuth {
  /**
   * Who a bearer token stands for; undefined unless it is a live access token. Promises that only for a
   * token that must be looked up.
   */
  authenticate(token: string): Actor | undefined | Promise<Actor | undefined>;
  /** The addresses of signing in. */
  routes(): Promise<readonly OpenRoute[]>;
  /**
   * Makes a grant without a browser, for the local administrator, and returns its tokens.
   *
   * @throws {Refusal} when there is no such account, or the scope is not one.
   */
  issueToken(options?: TokenOptions): Promise<TokenPair>;
  /** Forgets the tokens of grants that are gone from the database. */
  forget(grantIds: readonly string[]): void;
  /** How people show who they are. */
  readonly way: SignInWay["kind"];
  /** Makes a one-time link on which a person sets a password. `asked` is where the service is. */
  addPasswordLink(tx: Tx, accountId: string, asked: URL): Promise<PasswordLink>;
}

/** How people are to show who they are. */
export type SignInChoice =
  /** With a password of this service. */
  | {
    kind: "password";
    /** What a hash costs. Default: `SCRYPT`. */
    cost?: ScryptCost | undefined;
  }
  /** At an OpenID Connect provider. */
  | {
    kind: "oidc";
    /** Its issuer identifier, such as `https://login.example.com`. */
    issuer: string;
    /** The id under which it knows this service. */
    clientId: string;
    /** The secret that goes with that; undefined for a public client. */
    clientSecret?: string | undefined;
    /**
     * Who may come in: e-mail addresses, and domains such as `@example.com`. Default: the accounts
     * that were added before.
     */
    allow?: readonly string[] | undefined;
  };

/** What `issueToken` makes. */
interface TokenOptions {
  /** The account's e-mail address. Default: the seeded owner. */
  accountEmail?: string | undefined;
  /** What the tokens permit, space-separated. Default: everything. */
  scope?: string | undefined;
  /** Whether a refresh replaces the refresh token. Default: it does not, so that CI can keep it. */
  rotates?: boolean | undefined;
  /** How long the refresh token is good for, in milliseconds. Default: as any refresh token. */
  lifetimeMs?: number | undefined;
}

/** How signing in is set up. */
export interface OAuthOptions {
  /** The database. */
  store: Store;
  /** Wall time. Default: the machine's clock. */
  clock?: Clock | undefined;
  /** How long things are good for, where it differs from `LIFETIMES`. */
  lifetimes?: Partial<Lifetimes> | undefined;
  /** The service's address when it is not the one that requests are sent to, as behind a proxy. */
  issuer?: string | undefined;
  /** For tests without a browser: allow every valid request in this account's name, unasked. */
  autoApprove?: string | undefined;
  /** How people show who they are. Default: they choose an account. */
  signIn?: SignInChoice | undefined;
  /** Told of what the administrator should know. Default: nobody. */
  report?: ((error: unknown) => void) | undefined;
}

/**
 * Sets up signing in.
 *
 * @throws {UsageError} when the provider's issuer, or an entry of who may come in, is not one.
 */
export function createOAuth(options: OAuthOptions): OAuth {
  const parts: OAuthParts = {
    store: options.store,
    clock: options.clock ?? systemClock,
    lifetimes: { ...LIFETIMES, ...options.lifetimes },
    cache: createTokenCache(),
    issuer: options.issuer === undefined ? undefined : new URL(options.issuer).origin,
    autoApprove: options.autoApprove,
    way: wayOf(options),
  };
  return {
    authenticate: (token) => authenticate(parts, token),
    routes: () => Promise.resolve(routesOf(parts)),
    issueToken: (tokenOptions) => issueToken(parts, tokenOptions ?? {}),
    forget: (grantIds) => grantIds.forEach(parts.cache.forget),
    way: parts.way.kind,
    addPasswordLink: async (tx, accountId, asked) => {
      const span = { now: parts.clock(), lifetimes: parts.lifetimes };
      const { token, expires_at } = await addLink(tx, accountId, span);
      return { url: linkAddress(parts.issuer ?? asked.origin, token), expires_at };
    },
  };
}

/** Makes ready what a choice needs. */
function wayOf({ signIn: choice, report = () => {} }: OAuthOptions): SignInWay {
  if (!choice) return { kind: "open" };
  if (choice.kind === "password") {
    return { kind: "password", passwords: createPasswords(choice.cost) };
  }
  const { issuer, clientId, clientSecret, allow = [] } = choice;
  const admission = readAdmission(allow);
  const known = { issuer, clientId, clientSecret, admission };
  return { kind: "oidc", provider: createProvider(known, report) };
}

const search = sharedSearch<LiveToken>();

function authenticate(
  parts: OAuthParts,
  token: string,
): Actor | undefined | Promise<Actor | undefined> {
  const now = parts.clock();
  const known = parts.cache.get(token, now);
  if (known) return known.actor;
  return token.startsWith("atk_") ? lookUp(parts, token, now) : undefined;
}

/** Looks up who an access token stands for. */
async function lookUp(
  { store, cache }: OAuthParts,
  token: string,
  now: number,
): Promise<Actor | undefined> {
  const find = (tx: Tx) => findAccessToken(tx, token, now);
  if (!store.others) return (await cache.load(token, () => store.read(find)))?.actor;
  // Nothing is remembered where another process may revoke a token.
  const live = await store.read(async (tx) => await search(tx, token, () => find(tx)));
  return live && live.expires_at > now ? live.actor : undefined;
}

function routesOf(parts: OAuthParts): OpenRoute[] {
  return [
    ...authorizeRoutes(parts),
    ...signInRoutes(parts),
    ...passwordRoutes(parts),
    ...providerRoutes(parts),
    ...tokenRoutes(parts),
    ...readable(METADATA_PATH, ({ request }) => answerMetadata(parts, request)),
  ];
}

async function issueToken(parts: OAuthParts, options: TokenOptions): Promise<TokenPair> {
  const scope = parseScope(options.scope ?? ALL_SCOPES)?.join(" ");
  if (scope === undefined) {
    throw invalid("scope", "'scope' must be names of permissions, with single spaces between");
  }
  const lifetimes = { ...parts.lifetimes, refresh: options.lifetimeMs ?? parts.lifetimes.refresh };
  return await commit({ ...parts, lifetimes }, async (tx, span) => {
    const account = await findAccount(tx, options.accountEmail);
    if (!account) throw noAccount(options.accountEmail);
    const { pair } = await startGrant(tx, {
      account_id: account.id,
      client_id: BUILT_IN_CLIENT,
      scope,
      rotates: options.rotates ?? false,
    }, span);
    return { value: pair };
  });
}

function noAccount(email: string | undefined): Refusal {
  const message = email === undefined
    ? "There is no account yet"
    : `There is no account with the e-mail address ${JSON.stringify(email)}`;
  return new Refusal(404, "resource_missing", message);
}
