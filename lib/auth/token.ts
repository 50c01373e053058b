/**
 * The service's token endpoint: sends a form and returns an answer. It stores nothing.
 *
 * @module
 */

import { refuseInsecure, serviceAddress } from "../address.ts";
import type { Exchange } from "../client.ts";
import { isJsonObject, type JsonObject } from "../config/json.ts";
import { setting, type Surroundings } from "../config/surroundings.ts";
import { type ApiError, Cancelled } from "../errors.ts";
import {
  attemptOnce,
  type Outcome,
  type Outgoing,
  ownRefusal,
  pause,
  refusal,
  unreachable,
  unreadable,
  waitBeforeRetry,
} from "../retry.ts";

/** The default OAuth client. It is public and has no secret. */
const BUILT_IN_CLIENT_ID = "svc-cli";

/** The number of attempts of a refresh without an answer. */
const REFRESH_TRIES = 3;
/**
 * Three attempts with this time limit, in milliseconds, end before others stop waiting for the
 * lock.
 */
const TRY_TIMEOUT_MS = 8_000;
const LONGEST_WAIT_MS = 2_000;
/**
 * How long to wait for the answer to a sent form after the work was stopped, in milliseconds. The
 * service may have replaced the token already, and only the answer contains the new one.
 */
const LAST_WAIT_MS = 2_000;
/**
 * Gap: the lifetime without `expires_in` in an answer. The service's access tokens live one hour.
 */
const DEFAULT_LIFETIME_S = 3_600;

/** The connection to a service's token endpoint. */
export interface TokenEndpoint {
  /** The service's address. */
  baseUrl: string;
  /** The clock, and the functions that send and wait. */
  around: Surroundings;
  /** Ends the waits between attempts at once, and a sent request two seconds later. */
  signal?: AbortSignal | undefined;
  /** Sent as `User-Agent`. */
  userAgent?: string | undefined;
  /** Called after each attempt. Its argument contains tokens. */
  onExchange?: ((exchange: Exchange) => void) | undefined;
  /** Whether tokens may go over plain HTTP to another machine. Default: false. */
  allowInsecureHost?: boolean | undefined;
}

/** The service's grant. */
export interface GrantedToken {
  /** The token that requests carry. */
  access_token: string;
  /** The token for the next refresh, if the service replaced it or issued the first one. */
  refresh_token: string | undefined;
  /** When the access token ends, in milliseconds since 1970. */
  expires_at_ms: number;
  /** The granted scopes, separated by spaces, if the service named them. */
  scope: string | undefined;
}

/** The service's refusal. */
export interface TokenRefusal {
  /** The OAuth error, such as `invalid_grant`. */
  error: string;
  /** The service's sentence, or the error if there is none. */
  reason: string;
}

/** An answer of the token endpoint: exactly one of the two is set. */
export type TokenAnswer =
  | { granted: GrantedToken; refused?: undefined }
  | { granted?: undefined; refused: TokenRefusal };

/**
 * Gets a new access token with a refresh token. Safe to repeat: for 30 seconds the service answers
 * a replaced refresh token with the same replacement, so a lost answer can be requested again.
 *
 * @throws {NetworkError} when the service does not answer, or another server does.
 * @throws {ApiError} when the service fails or asks for a wait that is too long.
 */
export async function refreshToken(
  endpoint: TokenEndpoint,
  token: string,
  clientId: string | undefined,
): Promise<TokenAnswer> {
  const fields = {
    grant_type: "refresh_token",
    refresh_token: token,
    client_id: clientId ?? clientIdFor(endpoint.around),
  };
  return await requestToken(endpoint, fields, REFRESH_TRIES);
}

/** The OAuth client that signs in: `CLI_OAUTH_CLIENT_ID`, or the built-in one. */
export function clientIdFor(around: Surroundings): string {
  return setting(around, "CLI_OAUTH_CLIENT_ID") ?? BUILT_IN_CLIENT_ID;
}

/**
 * Sends a form to `POST {base}/oauth2/token`. Only a repeatable grant may have several attempts.
 * Redirects are not followed: the form contains a secret for this address alone.
 *
 * @throws {NetworkError} when the service does not answer, or another server does.
 * @throws {ApiError} when the service fails or asks for a wait that is too long.
 */
export async function requestToken(
  endpoint: TokenEndpoint,
  fields: Record<string, string>,
  tries = 1,
): Promise<TokenAnswer> {
  const startedMs = endpoint.around.now();
  const { outcome, request } = await sendForm(endpoint, "/oauth2/token", fields, tries);
  return answerOf(outcome, request, startedMs);
}

/** A sent form and its result. */
interface SentForm {
  /** The last request. */
  request: Outgoing;
  /** The result. */
  outcome: Outcome;
}

/**
 * Sends a form to one of the service's OAuth addresses, and retries if that is allowed and can
 * help.
 */
export async function sendForm(
  endpoint: TokenEndpoint,
  path: "/oauth2/token" | "/oauth2/revoke",
  fields: Record<string, string>,
  tries: number,
): Promise<SentForm> {
  const { around, signal } = endpoint;
  refuseInsecure(endpoint.baseUrl, endpoint.allowInsecureHost);
  const body = new URLSearchParams(fields).toString();
  const later = delayed(signal, LAST_WAIT_MS);
  const settings = {
    baseUrl: endpoint.baseUrl,
    timeoutMs: TRY_TIMEOUT_MS,
    signal: later.signal,
    ...around.fetch && { fetch: around.fetch },
    ...endpoint.onExchange && { onExchange: endpoint.onExchange },
  };
  try {
    for (let attempt = 1;; attempt++) {
      if (signal?.aborted) throw new Cancelled("Stopped", { cause: signal.reason });
      const request = formRequest(endpoint, path, body);
      const sent = await attemptOnce(settings, request, attempt);
      const outcome = { ...sent, repeatable: tries > 1 };
      const wait = attempt < tries ? waitBeforeRetry(outcome, attempt, LONGEST_WAIT_MS) : undefined;
      if (wait === undefined) return { request, outcome };
      await (around.pause ?? pause)(wait, signal);
    }
  } finally {
    later.release();
  }
}

/**
 * A signal that fires some time after another one, and the function that stops watching that one.
 */
function delayed(
  signal: AbortSignal | undefined,
  ms: number,
): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const start = () => timer = setTimeout(() => controller.abort(signal?.reason), ms);
  signal?.addEventListener("abort", start, { once: true });
  const release = () => {
    if (timer !== undefined) clearTimeout(timer);
    signal?.removeEventListener("abort", start);
  };
  return { signal: controller.signal, release };
}

/** The request that carries a form. */
function formRequest(endpoint: TokenEndpoint, path: string, body: string): Outgoing {
  const headers = new Headers({
    Accept: "application/json",
    "Content-Type": "application/x-www-form-urlencoded",
  });
  if (endpoint.userAgent !== undefined) headers.set("User-Agent", endpoint.userAgent);
  return { url: `${serviceAddress(endpoint.baseUrl)}${path}`, method: "POST", headers, body };
}

/** The reason of a refusal, if the answer has the form of OAuth. */
export function refusalIn({ response, text }: Outcome): TokenRefusal | undefined {
  const { error, error_description } = jsonObject(text) ?? {};
  if (!response || response.status < 400 || typeof error !== "string" || error === "") {
    return undefined;
  }
  const told = typeof error_description === "string" && error_description !== "";
  return { error, reason: told ? error_description : error };
}

/** Reads an answer, or throws the error for a missing or foreign answer. */
function answerOf(outcome: Outcome, request: Outgoing, startedMs: number): TokenAnswer {
  const { response } = outcome;
  if (!response) throw unreachable(outcome.error, request.url);
  const body = jsonObject(outcome.text);
  const text = (name: string) => {
    const value = body?.[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  if (response.status === 429 || response.status >= 500) throw failure(outcome, response, request);
  const refused = refusalIn(outcome);
  if (refused) return { refused };
  const own = ownRefusal(outcome, request);
  if (own) throw own;
  const access_token = text("access_token");
  if (!response.ok || access_token === undefined) {
    throw unreadable(response.ok ? "no access token" : `status ${response.status}`, request.url);
  }
  return {
    granted: {
      access_token,
      refresh_token: text("refresh_token"),
      expires_at_ms: startedMs + lifetimeSeconds(body?.expires_in) * 1000,
      scope: text("scope"),
    },
  };
}

/** The lifetime that an answer names, in seconds. */
function lifetimeSeconds(value: unknown): number {
  const seconds = typeof value === "number" || typeof value === "string" ? Number(value) : NaN;
  return Number.isFinite(seconds) && seconds > 0 ? seconds : DEFAULT_LIFETIME_S;
}

/** The error for a service that could neither grant nor refuse. */
function failure(outcome: Outcome, response: Response, request: Outgoing): ApiError {
  const body = jsonObject(outcome.text) ?? {};
  const told = body.error_description ?? body.message;
  const why = typeof told === "string" ? told : `status ${response.status}`;
  const message = `Cannot get an access token: the service answered ${JSON.stringify(why)}`;
  const type = body.error ?? body.type;
  return refusal(response, outcome.text, { ...body, type, message }, request);
}

/** A text as a JSON object, if it is one. */
export function jsonObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
