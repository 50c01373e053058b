/**
 * An OpenID Connect provider: the code flow with PKCE, state and nonce, by an independent library.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type * as Library from "oauth4webapi";
import { ConfigError, UsageError } from "../../errors.ts";
import { isLoopbackHost } from "../../loopback.ts";
import type { Admission, Person } from "./admission.ts";
import type { NewForm } from "./consent_forms.ts";
import { PageRefusal } from "./refusal.ts";

/** How a provider is set up. */
interface ProviderOptions {
  /** Its issuer identifier, such as `https://login.example.com`. */
  issuer: string;
  /** The id under which it knows this service. */
  clientId: string;
  /** The secret that goes with that; undefined for a public client. */
  clientSecret?: string | undefined;
  /** Who may come in. */
  admission: Admission;
}

/** A provider. */
export interface Provider {
  /** Who may come in. */
  readonly admission: Admission;
  /**
   * Where the browser goes to sign in. `anew` lets the person choose another account there.
   *
   * @throws {PageRefusal} when the provider cannot be reached.
   */
  addressFor(visit: ProviderVisit, options?: { anew?: boolean }): Promise<string>;
  /**
   * Who came back, from the address to which the provider sent the browser back.
   *
   * @throws {PageRefusal} when the provider refused, or its answer is not good.
   */
  personIn(visit: ProviderVisit, address: URL): Promise<Person>;
}

/** A browser on its way to a provider and back. */
interface ProviderVisit {
  /** The form for which somebody signs in. */
  form: NewForm;
  /** The address of this service. */
  origin: string;
  /** Wall time. */
  now: number;
}

/** Where the browser comes back from a provider. */
export const CALLBACK = "/oauth2/authorize/callback";

/** How long a provider may take to answer, in milliseconds. */
const PATIENCE_MS = 10_000;

/** How long its description is good for. */
const DESCRIPTION_MS = 3_600_000;

/** A provider as it describes itself, and what is needed to talk to it. */
interface Known {
  /** The library. */
  lib: typeof Library;
  /** What it says about itself. */
  server: Library.AuthorizationServer;
  /** This service, as its client. */
  client: Library.Client;
  /** How this service shows that it is that client. */
  auth: Library.ClientAuth;
  /** How requests are sent. */
  settings(): ReturnType<typeof settingsFor>;
}

/**
 * Sets a provider up. It is asked for its description when somebody signs in.
 *
 * @throws {UsageError} when its issuer identifier is not one.
 */
export function createProvider(
  options: ProviderOptions,
  report: (error: unknown) => void,
): Provider {
  const issuer = issuerUrl(options.issuer);
  const find = remembered(() => discover(issuer, options));
  const describe = async (now: number): Promise<Known> => {
    try {
      return await find(now);
    } catch (error) {
      report(new ConfigError(`Cannot use the sign-in provider: ${reasonOf(error)}`));
      throw unreachable();
    }
  };
  return {
    admission: options.admission,
    async addressFor({ form, origin, now }, { anew = false } = {}) {
      const { server, client } = await describe(now);
      const address = new URL(server.authorization_endpoint ?? "");
      const { nonce, verifier } = secretsOf(form);
      const query = {
        response_type: "code",
        client_id: client.client_id,
        redirect_uri: origin + CALLBACK,
        scope: "openid email profile",
        state: form.id,
        nonce,
        code_challenge: createHash("sha256").update(verifier).digest("base64url"),
        code_challenge_method: "S256",
        ...anew && { prompt: "select_account" },
      };
      for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
      return address.href;
    },
    async personIn({ form, origin, now }, address) {
      const known = await describe(now);
      try {
        return await redeem(known, origin + CALLBACK, address, form);
      } catch (error) {
        throw notSignedIn(known.lib, error);
      }
    },
  };
}

/**
 * Nonce and verifier are derived from the secret in the browser's cookie. So they are bound to this
 * browser and this form, and nothing of them is stored.
 */
function secretsOf({ secret }: NewForm): { nonce: string; verifier: string } {
  const derive = (name: string) =>
    createHash("sha256").update(`${name}:${secret}`).digest("base64url");
  return { nonce: derive("nonce"), verifier: derive("verifier") };
}

/** Exchanges the code, checks the ID token and its signature, and reads who it is. */
async function redeem(
  { lib, server, client, auth, settings }: Known,
  redirectUri: string,
  address: URL,
  form: NewForm,
): Promise<Person> {
  const { nonce, verifier } = secretsOf(form);
  const answer = lib.validateAuthResponse(server, client, address, form.id);
  const response = await lib.authorizationCodeGrantRequest(
    ...[server, client, auth, answer, redirectUri, verifier, settings()] as const,
  );
  const tokens = await lib.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: nonce,
    requireIdToken: true,
  });
  await lib.validateApplicationLevelSignature(server, response, settings());
  const claims = lib.getValidatedIdTokenClaims(tokens);
  if (!claims) throw new TypeError("the ID token is missing");
  const { iss: issuer, sub: subject } = claims;
  let about: Readonly<Record<string, unknown>> = claims;
  if (claims.email === undefined && server.userinfo_endpoint) {
    const told = await lib.userInfoRequest(server, client, tokens.access_token, settings());
    about = await lib.processUserInfoResponse(server, client, subject, told);
  }
  const text = (value: unknown) => typeof value === "string" && value !== "" ? value : undefined;
  return {
    issuer,
    subject,
    email: text(about.email),
    verified: about.email_verified === true,
    name: text(about.name)?.slice(0, 255),
  };
}

/** Asks a provider how it describes itself. */
async function discover(issuer: URL, options: ProviderOptions): Promise<Known> {
  const lib = await import("oauth4webapi");
  const insecure = issuer.protocol === "http:";
  const settings = () => settingsFor(lib, insecure);
  const response = await lib.discoveryRequest(issuer, settings());
  const server = await lib.processDiscoveryResponse(issuer, response);
  if (!server.authorization_endpoint) throw new TypeError("it names no authorization endpoint");
  const { clientId, clientSecret } = options;
  const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  const auth = clientSecret === undefined
    ? lib.None()
    : methods.includes("client_secret_basic")
    ? lib.ClientSecretBasic(clientSecret)
    : lib.ClientSecretPost(clientSecret);
  return { lib, server, client: { client_id: clientId }, auth, settings };
}

/** How one request to a provider is sent. */
function settingsFor(lib: typeof Library, insecure: boolean) {
  return { signal: AbortSignal.timeout(PATIENCE_MS), [lib.allowInsecureRequests]: insecure };
}

/** Keeps what was found for a while; a failure is not kept. */
function remembered(find: () => Promise<Known>): (now: number) => Promise<Known> {
  let latest: { known: Promise<Known>; until: number } | undefined;
  return async (now) => {
    if (!latest || latest.until <= now) latest = { known: find(), until: now + DESCRIPTION_MS };
    const { known } = latest;
    try {
      return await known;
    } catch (error) {
      if (latest?.known === known) latest = undefined;
      throw error;
    }
  };
}

function unreachable(): PageRefusal {
  return new PageRefusal({
    title: "You cannot sign in at the moment",
    message: "The sign-in provider cannot be reached, or its answer is not valid.",
    next: "No access was granted. Try again later, or ask the administrator of this service.",
  }, { status: 503 });
}

/** The refusal of what came back from a provider. */
function notSignedIn(lib: typeof Library, error: unknown): PageRefusal {
  const denied = error instanceof lib.AuthorizationResponseError;
  return new PageRefusal({
    title: "You are not signed in",
    message: denied
      ? "The sign-in provider did not let you in:"
      : "The answer of the sign-in provider is not valid:",
    value: denied ? error.error : reasonOf(error),
  }, { status: 403 });
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function issuerUrl(text: string): URL {
  const url = URL.parse(text);
  const safe = url && (url.protocol === "https:" ||
    // Plain HTTP is as safe as TLS within this machine.
    url.protocol === "http:" && isLoopbackHost(url.hostname));
  if (url && safe && url.search === "" && url.hash === "" && url.username === "") return url;
  throw new UsageError(
    `Cannot use the sign-in provider ${JSON.stringify(text)}: an issuer is an https address ` +
      "without a query, such as https://login.example.com",
  );
}
