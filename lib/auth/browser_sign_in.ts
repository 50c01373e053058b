/**
 * Signing in with a browser: the authorization-code flow with PKCE, for a client without a secret.
 *
 * @module
 */

import { refuseInsecure, serviceAddress } from "../address.ts";
import type { StoredToken } from "../config/stored_token.ts";
import { AuthError, Cancelled, ToolkitError } from "../errors.ts";
import { platform } from "../platform/mod.ts";
import { openInBrowser } from "./browser.ts";
import { failedPage, SIGNED_IN } from "./callback_page.ts";
import { type KnownService, recognizeService } from "./discovery.ts";
import { openLoopback } from "./loopback.ts";
import { answerIn, firstAnswer } from "./pasted.ts";
import { createPkce, randomText, systemRandom } from "./pkce.ts";
import { revokeToken } from "./revoke.ts";
import { DEFAULT_SCOPES } from "./scopes.ts";
import { clientIdFor, requestToken, type TokenEndpoint } from "./token.ts";

/** The time limit for the browser's answer, in milliseconds. */
const LONGEST_SIGN_IN_MS = 300_000;

/** The options of a sign-in with a browser. */
export interface BrowserOptions {
  /** Shows the person the address to open. It is called at once, before a browser is started. */
  onUrl: (url: string) => void;
  /** Called when no browser could be started here, so the person has to open the address. */
  onNoBrowser?: (() => void) | undefined;
  /** Whether to start the person's browser. Default: true. */
  browser?: boolean | undefined;
  /** The OAuth client. Default: `CLI_OAUTH_CLIENT_ID`, else the built-in one. */
  clientId?: string | undefined;
  /** The permissions to request. Default: those for all operations. */
  scopes?: readonly string[] | undefined;
  /** The port of 127.0.0.1 for the browser's answer. Default: a free one. */
  callbackPort?: number | undefined;
  /**
   * Asks the person for the address where the browser ended, if no browser can reach this machine.
   * `problem` is the problem of the previous text. It asks again until an answer arrives; then the
   * signal ends the question.
   */
  paste?: ((problem: string | undefined, signal: AbortSignal) => Promise<string>) | undefined;
  /** The time limit for the browser's answer, in milliseconds. Default: 300,000, five minutes. */
  waitMs?: number | undefined;
  /** Runs before the browser shows success. If it throws, the sign-in fails and is revoked. */
  complete?: ((token: StoredToken) => Promise<void>) | undefined;
  /** Makes random bytes. Default: the system's. */
  randomBytes?: ((length: number) => Uint8Array<ArrayBuffer>) | undefined;
}

/**
 * Signs in with a browser, and returns the data to store.
 *
 * @throws {AuthError} when the person or the service refuses, or nobody answers in time.
 * @throws {ConfigError} when the address is not the service's, or this program may not listen.
 * @throws {UsageError} when the address is malformed, or needs HTTPS.
 * @throws {NetworkError} when the service does not answer.
 * @throws {Cancelled} when the signal fires.
 */
export async function signInWithBrowser(
  endpoint: TokenEndpoint,
  options: BrowserOptions,
): Promise<StoredToken> {
  refuseInsecure(endpoint.baseUrl, endpoint.allowInsecureHost);
  // Otherwise only the person would see it, in the browser, and this program never.
  const service = await recognizeService(endpoint);
  const random = options.randomBytes ?? systemRandom;
  const state = randomText(16, random);
  const { verifier, challenge } = await createPkce(random);
  const client_id = options.clientId ?? clientIdFor(endpoint.around);
  const scope = (options.scopes ?? DEFAULT_SCOPES).join(" ");
  const loopback = await openLoopback(state, options.callbackPort);
  const redirect_uri = loopback.redirectUri;
  const request = { client_id, redirect_uri, scope, state, code_challenge: challenge };
  try {
    const stopped = show(authorizationUrl(endpoint.baseUrl, request), endpoint, options);
    const given = firstAnswer(loopback.answer, options.paste, (text) => {
      const pasted = answerIn(text, state);
      checkIssuer(pasted, endpoint.baseUrl, service);
      return pasted;
    });
    const answer = await waitFor(given.answer, redirect_uri, endpoint, options).finally(() => {
      stopped();
      given.stop();
    });
    checkIssuer(answer, endpoint.baseUrl, service);
    const code = codeIn(answer);
    const grant = { code, redirect_uri, client_id, code_verifier: verifier };
    const token = await redeem(endpoint, grant, scope);
    await complete(endpoint, token, options);
    loopback.finish(SIGNED_IN);
    return token;
  } catch (error) {
    const reason = error instanceof ToolkitError ? error.message : "The program failed";
    loopback.finish(failedPage(error instanceof Cancelled ? "The program was stopped" : reason));
    throw error;
  } finally {
    await loopback[Symbol.asyncDispose]();
  }
}

/** The address of the consent page. */
function authorizationUrl(baseUrl: string, request: Record<string, string>): string {
  const url = new URL(`${serviceAddress(baseUrl)}/oauth2/authorize`);
  url.searchParams.set("response_type", "code");
  for (const [name, value] of Object.entries(request)) url.searchParams.set(name, value);
  url.searchParams.set("code_challenge_method", "S256");
  return url.href;
}

/**
 * Shows the address and starts the browser. Returns a function that stops waiting for the browser.
 */
function show(url: string, { around }: TokenEndpoint, options: BrowserOptions): () => void {
  let waiting = true;
  options.onUrl(url);
  const open = around.openBrowser ??
    ((address) => openInBrowser(address, around.platform ?? platform.os));
  const opened = options.browser ?? true ? open(url).catch(() => false) : Promise.resolve(false);
  opened.then((yes) => {
    if (!yes && waiting) options.onNoBrowser?.();
  });
  return () => void (waiting = false);
}

/** Waits for the answer, until the time limit or a Ctrl-C. */
function waitFor(
  answer: Promise<URLSearchParams>,
  redirectUri: string,
  { signal }: TokenEndpoint,
  { waitMs = LONGEST_SIGN_IN_MS }: BrowserOptions,
): Promise<URLSearchParams> {
  return new Promise((resolve, reject) => {
    const stop = () => end(() => reject(new Cancelled("Stopped", { cause: signal?.reason })));
    const timer = setTimeout(() => end(() => reject(tooLate(waitMs, redirectUri))), waitMs);
    const end = (settle: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      settle();
    };
    answer.then((given) => end(() => resolve(given)), (error) => end(() => reject(error)));
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}

function tooLate(waitMs: number, redirectUri: string): AuthError {
  const minutes = Math.round(waitMs / 60_000);
  const time = minutes < 1
    ? "in time"
    : minutes === 1
    ? "within a minute"
    : `within ${minutes} minutes`;
  return new AuthError(`Cannot sign in: no answer arrived ${time}`, {
    hint: "Try again, and open the address in a browser on this machine: the answer goes to " +
      `${new URL(redirectUri).host}`,
  });
}

/** Checks that an answer is from the service. */
function checkIssuer(
  answer: URLSearchParams,
  baseUrl: string,
  { namesItself }: KnownService,
): void {
  // If the service names itself, the name must be right: RFC 9207. The published service does not.
  const iss = answer.get("iss");
  const names = [baseUrl, new URL(baseUrl).origin].map(serviceAddress);
  if (iss !== null && !names.includes(serviceAddress(iss))) {
    throw new AuthError(`Cannot sign in: the answer is from ${iss}, not from ${baseUrl}`, {
      hint: "Set CLI_BASE_URL to the address that the service gives for itself, if you trust it.",
    });
  }
  if (iss === null && namesItself) {
    throw new AuthError("Cannot sign in: the answer does not name its service", {
      hint: "Try again. If that does not help, check CLI_BASE_URL.",
    });
  }
}

/** The code in the browser's answer. Its state has been checked. */
function codeIn(answer: URLSearchParams): string {
  const error = answer.get("error");
  if (error !== null) throw refusedBy(error, answer.get("error_description") || error);
  const [code, ...more] = answer.getAll("code");
  if (code && more.length === 0) return code;
  throw new AuthError("Cannot sign in: the answer of the service contains no code", {
    hint: "Try again. If that does not help, check CLI_BASE_URL.",
  });
}

/** The error for a refusal. */
function refusedBy(error: string, reason: string): AuthError {
  if (error === "access_denied") {
    return new AuthError("Cannot sign in: access was denied in the browser", {
      hint: "Nothing was stored. Try again and choose Allow.",
    });
  }
  const hint = error === "invalid_scope"
    ? "Request other permissions, or leave them out to get all that the commands need."
    : undefined;
  return new AuthError(`Cannot sign in: ${reason}`, { hint });
}

/** Exchanges the code. A code works only once, so there is only one attempt. */
async function redeem(
  endpoint: TokenEndpoint,
  grant: { code: string; redirect_uri: string; client_id: string; code_verifier: string },
  asked: string,
): Promise<StoredToken> {
  const fields = { grant_type: "authorization_code", ...grant };
  const { granted, refused } = await requestToken(endpoint, fields);
  if (refused) throw refusedBy(refused.error, refused.reason);
  const { access_token, refresh_token, expires_at_ms, scope = asked } = granted;
  if (refresh_token === undefined) {
    throw new AuthError("Cannot sign in: the service gave no refresh token");
  }
  const { client_id } = grant;
  const base_url = endpoint.baseUrl;
  return { access_token, refresh_token, expires_at_ms, scope, client_id, base_url };
}

/** Runs the caller's check before the person sees success. If it fails, the sign-in is revoked. */
async function complete(
  endpoint: TokenEndpoint,
  token: StoredToken,
  options: BrowserOptions,
): Promise<void> {
  const { signal } = endpoint;
  try {
    if (signal?.aborted) throw new Cancelled("Stopped", { cause: signal.reason });
    await options.complete?.(token);
  } catch (error) {
    // Best effort: nobody else has these tokens, and they expire.
    await revokeToken({ ...endpoint, signal: undefined }, token).catch(() => {});
    throw error;
  }
}
