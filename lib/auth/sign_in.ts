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

/** How long the browser's answer is waited for, in milliseconds. */
const LONGEST_SIGN_IN_MS = 300_000;

/** How to sign in with a browser. */
export interface BrowserOptions {
  /** Shows the person the address to open. It is called at once, before any browser is started. */
  onUrl: (url: string) => void;
  /** Told when no browser could be started here, so the person has to open the address. */
  onNoBrowser?: (() => void) | undefined;
  /** Whether to start the person's browser. Default: true. */
  browser?: boolean | undefined;
  /** The OAuth client. Default: `CLI_OAUTH_CLIENT_ID`, else the built-in one. */
  clientId?: string | undefined;
  /** What to ask for. Default: what all operations need together. */
  scopes?: readonly string[] | undefined;
  /** The port of 127.0.0.1 to which the browser brings the answer. Default: a free one. */
  callbackPort?: number | undefined;
  /**
   * Asks the person for the address at which the browser ended, where no browser can reach this
   * machine. `problem` says what was wrong with the text before. It is asked until an answer comes;
   * the signal then ends the question.
   */
  paste?: ((problem: string | undefined, signal: AbortSignal) => Promise<string>) | undefined;
  /** Milliseconds to wait for the browser's answer. Default: 300,000, five minutes. */
  waitMs?: number | undefined;
  /**
   * Runs before the browser is told that all is well. When it throws, the sign-in has failed and is
   * revoked.
   */
  complete?: ((token: StoredToken) => Promise<void>) | undefined;
  /** Makes random bytes. Default: the system's. */
  randomBytes?: ((length: number) => Uint8Array<ArrayBuffer>) | undefined;
}

/**
 * Signs in with a browser, and gives what is to be stored.
 *
 * @throws {AuthError} when the person or the service says no, or nobody answers in time.
 * @throws {ConfigError} when the address is not the service's, or this program may not listen.
 * @throws {NetworkError} when the service does not answer.
 * @throws {Cancelled} when the signal fires.
 */
export async function signInWithBrowser(
  endpoint: TokenEndpoint,
  options: BrowserOptions,
): Promise<StoredToken> {
  refuseInsecure(endpoint.baseUrl, endpoint.allowInsecureHost);
  // Else the person would find out in the browser, and we never.
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
    const reason = error instanceof ToolkitError ? error.message : "The program has failed";
    loopback.finish(failedPage(error instanceof Cancelled ? "The program was stopped" : reason));
    throw error;
  } finally {
    await loopback[Symbol.asyncDispose]();
  }
}

/** The address that asks the person for consent. */
function authorizationUrl(baseUrl: string, request: Record<string, string>): string {
  const url = new URL(`${serviceAddress(baseUrl)}/oauth2/authorize`);
  url.searchParams.set("response_type", "code");
  for (const [name, value] of Object.entries(request)) url.searchParams.set(name, value);
  url.searchParams.set("code_challenge_method", "S256");
  return url.href;
}

/** Shows the address and starts the browser. Returns what ends the interest in the browser. */
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

/** Waits for the answer, but not for ever and not after a Ctrl-C. */
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
  const time = minutes < 1 ? "in time" : `within ${minutes} minutes`;
  return new AuthError(`Cannot sign in: no answer came ${time}`, {
    hint: "Try again, and open the address in a browser on this machine: " +
      `the answer comes to ${new URL(redirectUri).host}`,
  });
}

/** Makes sure that an answer comes from the service. */
function checkIssuer(
  answer: URLSearchParams,
  baseUrl: string,
  { namesItself }: KnownService,
): void {
  // Where the service names itself, the name must be right: RFC 9207. The published one does not.
  const iss = answer.get("iss");
  const names = [baseUrl, new URL(baseUrl).origin].map(serviceAddress);
  if (iss !== null && !names.includes(serviceAddress(iss))) {
    throw new AuthError(`Cannot sign in: the answer comes from ${iss}, not from ${baseUrl}`, {
      hint: "Set CLI_BASE_URL to the service's own name for itself, if you trust it.",
    });
  }
  if (iss === null && namesItself) {
    throw new AuthError("Cannot sign in: the answer does not say which service it comes from", {
      hint: "Try again. If that does not help, check CLI_BASE_URL.",
    });
  }
}

/** The code in the answer that the browser brought. Its state is known to be ours. */
function codeIn(answer: URLSearchParams): string {
  const error = answer.get("error");
  if (error !== null) throw refusedBy(error, answer.get("error_description") || error);
  const [code, ...more] = answer.getAll("code");
  if (code && more.length === 0) return code;
  throw new AuthError("Cannot sign in: the answer of the service holds no code", {
    hint: "Try again. If that does not help, check CLI_BASE_URL.",
  });
}

/** The error for an answer that says no. */
function refusedBy(error: string, reason: string): AuthError {
  if (error === "access_denied") {
    return new AuthError("Cannot sign in: access was denied in the browser", {
      hint: "Nothing was stored. Try again and choose Allow.",
    });
  }
  const hint = error === "invalid_scope"
    ? "Ask for other permissions, or leave them out to get all that are needed."
    : undefined;
  return new AuthError(`Cannot sign in: ${reason}`, { hint });
}

/** Exchanges the code. It is good for one attempt, so there is only one. */
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

/** Does what is to be done before the person is told. A sign-in that does not survive it is ended. */
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
    // Best effort: nobody else knows these tokens, and they end by themselves.
    await revokeToken({ ...endpoint, signal: undefined }, token).catch(() => {});
    throw error;
  }
}
