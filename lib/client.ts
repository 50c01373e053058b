/**
 * The transport: sends one request and returns one typed answer. Credentials, retries, rate limits,
 * idempotency keys and time limits live here and nowhere else.
 *
 * @module
 */

import { checkedBaseUrl, refuseInsecure } from "./address.ts";
import { faultIn } from "./answer.ts";
import { AuthError, Cancelled, NetworkError, UsageError } from "./errors.ts";
import type { ClientChanges, ClientOptions, Credential } from "./client_options.ts";
import { type Path, path } from "./path.ts";
import {
  attemptOnce,
  type Outcome,
  type Outgoing,
  pause,
  refusal,
  unreachable,
  unreadable,
  waitBeforeRetry,
} from "./retry.ts";
import { joinSignals } from "./signals.ts";

export type { ClientChanges, ClientOptions, Credential, Exchange } from "./client_options.ts";

/** Sends requests to one service as one caller, usually in one project. */
export interface Client {
  /** The service's address, without a slash at the end. */
  readonly baseUrl: string;
  /** The project of project paths, if known. */
  readonly projectId: string | undefined;
  /** Sends a GET. */
  get<T>(path: Path, options?: RequestOptions): Promise<T>;
  /** Sends a POST, which creates, changes or acts. An idempotency key makes it safe to repeat. */
  post<T>(path: Path, body?: object, options?: RequestOptions): Promise<T>;
  /** Sends a PUT, which replaces. */
  put<T>(path: Path, body: object, options?: RequestOptions): Promise<T>;
  /** Sends a DELETE. */
  delete<T>(path: Path, options?: RequestOptions): Promise<T>;
  /** Reads an address from an answer of the service, if it has the service's origin. */
  follow<T>(address: string, options?: RequestOptions): Promise<T>;
  /**
   * Sends a request to an address that a person has written, if it is the service's own: a path from
   * the base URL, or a URL.
   *
   * @throws {UsageError} for a method that no runtime sends, or that goes without a body.
   */
  send<T>(method: string, address: string, body?: object, options?: RequestOptions): Promise<T>;
  /** The same client with other settings, for a few requests. */
  with(changes: ClientChanges): Client;
}

/** The options of one request. */
export interface RequestOptions {
  /** Query parameters. An array repeats its parameter; undefined omits it. */
  query?: object | undefined;
  /** Whether a redirect counts as an answer: `{ url }`. It is not followed. */
  redirect?: boolean | undefined;
  /**
   * The key by which the service recognises a repeated request. Default: a new key for each call.
   */
  idempotencyKey?: string | undefined;
  /** Headers to send besides the client's own and the connection's, which they cannot replace. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Stops this request alone. The client's own signal stops it as well. */
  signal?: AbortSignal | undefined;
}

/**
 * Makes a client from explicit settings. Scripts usually want {@linkcode connect} instead.
 *
 * @example
 * ```ts
 * import { createClient } from "./client.ts";
 *
 * const client = createClient({ baseUrl: "http://127.0.0.1:4010", credential: "atk_1" });
 * ```
 *
 * @throws {UsageError} when the address is not an `http` or `https` URL, or holds a password.
 */
export function createClient(options: ClientOptions): Client {
  const settings = { ...options, baseUrl: checkedBaseUrl(options.baseUrl) };
  const call = <T>(method: string, url: URL, body?: object, request: RequestOptions = {}) =>
    exchange(settings, method, withQuery(url, request.query), body, request) as Promise<T>;
  const at = (place: Path) => addressOf(place, settings);
  return {
    baseUrl: settings.baseUrl,
    projectId: settings.projectId,
    get: async (place, request) => await call("GET", at(place), undefined, request),
    post: async (place, body = {}, request) => await call("POST", at(place), body, request),
    put: async (place, body, request) => await call("PUT", at(place), body, request),
    delete: async (place, request) => await call("DELETE", at(place), undefined, request),
    follow: async (address, request) =>
      await call("GET", ownAddress(address, settings.baseUrl), undefined, request),
    send: async (method, address, body, request) => {
      checkMethod(method, body);
      return await call(method, ownAddress(address, settings.baseUrl), body, request);
    },
    with: (changes) => createClient({ ...settings, ...changes }),
  };
}

/**
 * What an answer carries besides its fields. It is no enumerable property, so copies, comparisons and
 * JSON do not have it. A `WeakMap` would keep the texts of a walk until the next full collection.
 */
const SOURCE = Symbol("source");

/** The source of an answer. */
interface Source {
  /** Its text. */
  readonly text: string;
  /** The time of the answer, in milliseconds since 1970. */
  readonly time: number | undefined;
}

/** Notes the source of an answer. */
function note(answer: object, source: Source): void {
  Object.defineProperty(answer, SOURCE, { value: source });
}

/** The source of an answer, unless the value is something else. */
function sourceOf(answer: unknown): Source | undefined {
  if (typeof answer !== "object" || answer === null || !Object.hasOwn(answer, SOURCE)) return;
  return (answer as { [SOURCE]?: Source })[SOURCE];
}

/**
 * The JSON text of an answer, byte for byte: numbers, spelling and order unchanged. Undefined for a
 * value that is not the complete answer to a request.
 */
export function rawJson(answer: unknown): string | undefined {
  return sourceOf(answer)?.text;
}

/**
 * The time of the service's answer, by the service's clock and to the second, in milliseconds since
 * 1970. That clock may be wrong or simulated. Undefined if the service does not send it.
 */
export function answeredAt(answer: unknown): number | undefined {
  return sourceOf(answer)?.time;
}

/** Paths outside of any project. */
const FROM_ROOT = /^\/(v1|v2|rcbilling|_sim|health)(\/|$)/;

/** Puts a path under the base URL, and under the project unless the path contains a version. */
function addressOf(place: Path, settings: ClientOptions): URL {
  if (FROM_ROOT.test(place)) return new URL(settings.baseUrl + place);
  if (!settings.projectId) {
    throw new UsageError("Cannot choose a project: none is set", {
      hint: settings.projectHint ?? "Pass --project-id, set CLI_PROJECT_ID, or run: cli init",
    });
  }
  return new URL(settings.baseUrl + path`/v2/projects/${settings.projectId}` + place);
}

/** The form of methods and names of headers. */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

/** Headers of the connection, which not all runtimes send. */
const OF_CONNECTION =
  /^(?:content-length|expect|keep-alive|transfer-encoding|upgrade):|^connection:(?!(?:close|keep-alive)$)/i;

/** Refuses what no runtime sends. Each would say so in its own words, and only after retries. */
function checkMethod(method: string, body: object | undefined): void {
  if (!TOKEN.test(method) || /^(CONNECT|TRACE|TRACK)$/i.test(method)) {
    throw new UsageError(`Cannot send ${JSON.stringify(method)}: it is no method of the API`);
  }
  if (body !== undefined && /^(GET|HEAD)$/i.test(method)) {
    throw new UsageError(`Cannot send a body with ${method.toUpperCase()}`);
  }
}

/** Resolves an address from the service. The credential must never go to another origin. */
function ownAddress(address: string, baseUrl: string): URL {
  const base = new URL(baseUrl);
  const prefix = base.pathname.replace(/\/+$/, "");
  const local = address.startsWith("/") && !address.startsWith("//");
  const inside = !local || address.startsWith(`${prefix}/`);
  const url = URL.parse(local && !inside ? prefix + address : address, base);
  if (
    !url || url.origin !== base.origin || url.username || url.password ||
    !url.pathname.startsWith(`${prefix}/`)
  ) {
    throw new NetworkError(`Cannot follow ${JSON.stringify(address)}: it leaves ${baseUrl}`, {
      hint: "Set CLI_BASE_URL to the address that the service gives for itself.",
    });
  }
  return url;
}

/** Adds query parameters in the given order. */
function withQuery(url: URL, query: object | undefined): URL {
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined) url.searchParams.append(name, String(one));
    }
  }
  return url;
}

/** Sends a request until it has a final answer, and reads that answer. */
async function exchange(
  settings: ClientOptions,
  method: string,
  url: URL,
  body: object | undefined,
  options: RequestOptions,
): Promise<unknown> {
  if (!options.signal) return await exchangeWithin(settings, method, url, body, options);
  const stop = joinSignals([settings.signal, options.signal]);
  try {
    return await exchangeWithin({ ...settings, signal: stop.signal }, method, url, body, options);
  } finally {
    stop.end();
  }
}

/** Does so until the settings' signal fires. */
async function exchangeWithin(
  settings: ClientOptions,
  method: string,
  url: URL,
  body: object | undefined,
  options: RequestOptions,
): Promise<unknown> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const key = options.idempotencyKey ?? (method === "GET" ? undefined : crypto.randomUUID());
  const headers = headersOf(settings, text, key, options.headers);
  let refused: string | undefined;
  let renewed = false;
  for (let attempt = 1;; attempt++) {
    if (settings.signal?.aborted) throw new Cancelled("Stopped", { cause: settings.signal.reason });
    const token = await tokenFor(settings.credential, refused);
    if (token !== undefined) {
      refuseInsecure(url.href, settings.allowInsecureHost);
      headers.set("Authorization", `Bearer ${sendable(token)}`);
    }
    const request = { url: url.href, method, headers, body: text };
    const outcome = await attemptOnce(settings, request, attempt);
    if (outcome.response?.status === 401 && typeof settings.credential === "function" && !renewed) {
      renewed = true;
      refused = token;
      continue;
    }
    refused = undefined;
    const left = (settings.retries ?? 4) - attempt + (renewed ? 2 : 1);
    const wait = left > 0 ? waitBeforeRetry(outcome, attempt, settings.longestWaitMs) : undefined;
    if (wait === undefined) return targetOf(outcome, url, options) ?? answerOf(outcome, request);
    settings.onWait?.(wait, outcome.response?.status);
    await (settings.pause ?? pause)(wait, settings.signal);
  }
}

/** The headers of every attempt of a request. */
function headersOf(
  { userAgent }: ClientOptions,
  body: string | undefined,
  key: string | undefined,
  more: Readonly<Record<string, string>> = {},
): Headers {
  if (key !== undefined && !/^[ -~]{1,255}$/.test(key)) {
    throw new UsageError(`Cannot use ${JSON.stringify(key)} as an idempotency key`, {
      hint: "Use 1 to 255 ASCII characters.",
    });
  }
  const own = {
    Accept: "application/json",
    "User-Agent": userAgent,
    "Content-Type": body === undefined ? undefined : "application/json",
    "Idempotency-Key": key,
  };
  const headers = new Headers();
  for (const [name, value] of [...Object.entries(more), ...Object.entries(own)]) {
    if (value === undefined) continue;
    checkHeader(name, value);
    headers.set(name, value);
  }
  return headers;
}

/** Refuses a header that runtimes refuse, each in its own words, when it is made or sent. */
function checkHeader(name: string, value: string): void {
  const shown = JSON.stringify(name);
  if (!TOKEN.test(name)) throw new UsageError(`Cannot send a header with the name ${shown}`);
  // What is around a value is no part of it.
  const text = `${value}`.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, "");
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) {
    throw new UsageError(`Cannot send the header ${shown}: its value has forbidden characters`, {
      hint: "Use printable ASCII characters.",
    });
  }
  if (OF_CONNECTION.test(`${name}:${text}`)) {
    throw new UsageError(`Cannot send the header ${shown}: the connection sets it itself`);
  }
}

/** A token, if a header can carry it. */
function sendable(token: string): string {
  if (/^[!-~]+$/.test(token)) return token;
  throw new AuthError(
    "Cannot send the credential: it contains characters that a header cannot carry",
    {
      hint: "Copy the token again, without the spaces and quotes around it.",
    },
  );
}

/** The token to send now. */
async function tokenFor(
  credential: Credential | undefined,
  refused: string | undefined,
): Promise<string | undefined> {
  return typeof credential === "function" ? await credential(refused) : credential;
}

/** The target of a redirect, if the caller requested that. */
function targetOf(
  { response }: Outcome,
  from: URL,
  { redirect }: RequestOptions,
): { url: string } | undefined {
  const target = response?.headers.get("Location");
  if (!redirect || !response || !target || response.status < 300 || response.status > 399) return;
  const answer = { url: new URL(target, from).href };
  note(answer, { text: JSON.stringify(answer), time: undefined });
  return answer;
}

/** The parsed answer, or the error for the answer. */
function answerOf(outcome: Outcome, request: Outgoing): unknown {
  const { response, text } = outcome;
  if (!response) throw unreachable(outcome.error, request.url);
  const parsed = parsedJson(text);
  if (response.status >= 400) throw refusal(response, text, parsed?.value, request);
  if (!response.ok) throw unreadable(redirection(response), request.url);
  // A write may have an empty answer; a read may not.
  if (text === "" && request.method !== "GET") return null;
  if (!parsed) throw unreadable(text ? "a body that is not JSON" : "no body", request.url);
  const { value } = parsed;
  const fault = faultIn(value);
  if (fault !== undefined) throw unreadable(fault, request.url);
  if (typeof value === "object" && value !== null) {
    const time = Date.parse(response.headers.get("Date") ?? "");
    note(value, { text, time: Number.isNaN(time) ? undefined : time });
  }
  return value;
}

/** The content of an answer that is neither a success nor a refusal. */
function redirection(response: Response): string {
  const target = URL.parse(response.headers.get("Location") ?? "", response.url || undefined);
  // Without its query, which may contain a secret.
  const to = target ? `, to ${target.origin}${target.pathname}` : "";
  return `status ${response.status}${to}`;
}

/** Parses JSON without throwing. */
function parsedJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
