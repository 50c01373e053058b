/**
 * One attempt of a request: its failure, the decision to retry, and the wait before.
 *
 * @module
 */

import type { ClientOptions, Exchange } from "./client_options.ts";
import { isLoopback } from "./address.ts";
import { alarm } from "./alarm.ts";
import { readAnswer } from "./answer.ts";
import { ApiError, Cancelled, NetworkError, ToolkitError } from "./errors.ts";
import { joinSignals, untilAborted } from "./signals.ts";

const FIRST_WAIT_MS = 200;
const LONGEST_OWN_WAIT_MS = 10_000;

/** The usual time limit of one request, in milliseconds. */
export const LONGEST_REQUEST_MS = 30_000;

/** The longest wait that is believed when a service asks for it, in milliseconds: one day. */
export const LONGEST_TOLD_MS = 86_400_000;

/** The result of one attempt. */
export interface Outcome {
  /** The answer, if there was one. */
  response: Response | undefined;
  /** The answer's body. */
  text: string;
  /** The reason for a missing answer. */
  error: unknown;
  /** The target of the request. */
  address: string;
  /** Whether a repeated request cannot take effect twice. */
  repeatable: boolean;
}

/**
 * A request that is not sent yet. It becomes a `Request` when it is sent, or shown: one that is never
 * needed takes time, and stays in memory until a full collection.
 */
export interface Outgoing {
  /** Its address. */
  readonly url: string;
  /** Its method. */
  readonly method: string;
  /** Its headers. */
  readonly headers: Headers;
  /** Its body, if it has one. */
  readonly body?: string | undefined;
}

/** Where a request goes, for errors. */
type Target = Pick<Outgoing, "url" | "method">;

/** Sends a request once, within its time limit, and reads the whole body. */
export async function attemptOnce(
  settings: ClientOptions,
  request: Outgoing,
  attempt: number,
): Promise<Outcome> {
  if (settings.signal?.aborted) throw new Cancelled("Stopped", { cause: settings.signal.reason });
  const started = performance.now();
  const stop = joinSignals([settings.signal]);
  const { signal } = stop;
  const endLimit = alarm(
    settings.timeoutMs ?? LONGEST_REQUEST_MS,
    () => stop.abort(new DOMException("Signal timed out.", "TimeoutError")),
  );
  const outcome: Outcome = {
    response: undefined,
    text: "",
    error: undefined,
    address: request.url,
    repeatable: request.method === "GET" || request.headers.has("Idempotency-Key"),
  };
  try {
    outcome.response = await send(settings, request, signal);
    // The platform's own answers end with the signal by themselves.
    outcome.text = await readAnswer(
      outcome.response,
      settings.silenceMs,
      settings.fetch && signal,
    );
  } catch (error) {
    if (settings.signal?.aborted) throw new Cancelled("Stopped", { cause: settings.signal.reason });
    outcome.response = undefined;
    outcome.error = error;
  } finally {
    endLimit();
    stop.end();
  }
  if (settings.onExchange) {
    show(settings.onExchange, request, {
      attempt,
      requestBody: request.body,
      response: outcome.response,
      responseBody: outcome.text,
      error: outcome.error,
      durationMs: performance.now() - started,
    });
  }
  return outcome;
}

/** Shows an attempt to a listener. Its failure must not hide the outcome, which may be a new token. */
function show(
  listener: (exchange: Exchange) => void,
  request: Outgoing,
  rest: Omit<Exchange, "request">,
): void {
  try {
    listener({ ...rest, request: new Request(request.url, initOf(request)) });
  } catch {
    // The outcome counts.
  }
}

/** Sends a request. A `fetch` of the caller's may ignore its signal: what comes after it is dropped. */
async function send(
  { fetch: own }: ClientOptions,
  request: Outgoing,
  signal: AbortSignal,
): Promise<Response> {
  const init = { ...initOf(request), signal };
  if (!own) return await fetch(request.url, init);
  const sent = Promise.resolve(own(new Request(request.url, init)));
  try {
    return await untilAborted(sent, signal);
  } catch (error) {
    sent.then(({ body }) => body?.cancel()).catch(() => {});
    throw error;
  }
}

/** What `fetch` and `Request` take besides the address. Redirects are the caller's to follow. */
function initOf({ method, headers, body }: Outgoing): RequestInit {
  return { method, headers, body: body ?? null, redirect: "manual" };
}

/**
 * Milliseconds to wait before the retry, or undefined for no retry: the answer is final, the
 * request may have taken effect and has no key, or the service asks for a longer wait than
 * `longestMs` (default 65,000).
 */
export function waitBeforeRetry(
  outcome: Outcome,
  attempt: number,
  longestMs = 65_000,
): number | undefined {
  if (!mayRetry(outcome)) return undefined;
  const told = outcome.response && waitTold(outcome.response, outcome.text);
  if (told !== undefined) return told <= longestMs ? told + Math.random() * 100 : undefined;
  // A local service answers within seconds or not at all: do not wait longer for it.
  const growth = isLoopback(outcome.address) && isRefused(outcome.error) ? 1 : 3 ** (attempt - 1);
  const ceiling = Math.min(FIRST_WAIT_MS * growth, LONGEST_OWN_WAIT_MS);
  return ceiling * (0.5 + Math.random() / 2);
}

/** Waits. Rejects with `Cancelled` as soon as the signal fires. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(new Cancelled("Stopped", { cause: signal?.reason }));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Whether a retry could end differently and do no harm. */
function mayRetry({ response, text, error, repeatable }: Outcome): boolean {
  // An unreadable answer will be the same again.
  if (!response) return repeatable && !isDenied(error) && !(error instanceof ToolkitError);
  if (response.status === 429 || response.status === 423) return saysRetryable(text) ?? true;
  return repeatable && [502, 503, 504].includes(response.status);
}

/** The body's statement about retries, if it has one. */
function saysRetryable(text: string): boolean | undefined {
  const field = errorField(text, "retryable");
  return typeof field === "boolean" ? field : undefined;
}

/**
 * The wait that the service asks for, in milliseconds, at most a day: `Retry-After` (seconds or a
 * date), else `backoff_ms`.
 */
export function waitTold(response: Pick<Response, "headers">, text: string): number | undefined {
  const told = waitAsTold(response, text);
  return told === undefined ? undefined : Math.min(told, LONGEST_TOLD_MS);
}

/** The same, without a bound. */
function waitAsTold(response: Pick<Response, "headers">, text: string): number | undefined {
  const header = response.headers.get("Retry-After")?.trim();
  if (header && /^\d+$/.test(header)) return Number(header) * 1000;
  // Without this check "-5" and "1.5" would be read as dates.
  const date = header?.endsWith("GMT") ? Date.parse(header) : NaN;
  if (!Number.isNaN(date)) return Math.max(0, date - Date.now());
  const backoff = errorField(text, "backoff_ms");
  return typeof backoff === "number" && backoff >= 0 ? backoff : undefined;
}

/** One field of an error body, or undefined if the body is not a JSON object. */
function errorField(text: string, name: string): unknown {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null
      ? Object.entries(body).find(([key]) => key === name)?.[1]
      : undefined;
  } catch {
    return undefined;
  }
}

/** Turns an error answer into an `ApiError`, whatever its body. */
export function refusal(
  response: Response,
  raw: string,
  body: unknown,
  { url, method }: Target,
): ApiError {
  const fields: Record<string, unknown> = typeof body === "object" && body !== null
    ? { ...body }
    : {};
  const text = (name: string) => typeof fields[name] === "string" ? fields[name] : undefined;
  const texts = (name: string) => {
    const value = fields[name];
    return Array.isArray(value) ? value.map(String) : [];
  };
  return new ApiError(text("message") || `The service answered with status ${response.status}`, {
    status: response.status,
    // Errors of version 1 have a number in place of a type.
    type: text("type") || (typeof fields.code === "number" ? `v1_${fields.code}` : "unknown"),
    retryable: fields.retryable === true,
    param: text("param"),
    retryAfterMs: waitTold(response, raw),
    requestId: response.headers.get("X-Request-Id") ?? undefined,
    referencedObjectIds: texts("referenced_object_ids"),
    missingScopes: texts("missing_scopes"),
    method,
    path: new URL(url).pathname,
  });
}

/** A refusal in the service's own form, or undefined: another server may have answered. */
export function ownRefusal(
  { response, text }: Outcome,
  request: Target,
): ApiError | undefined {
  if (!response || response.status < 400) return undefined;
  try {
    const body: unknown = JSON.parse(text);
    const error = refusal(response, text, body, request);
    return error.type === "unknown" ? undefined : error;
  } catch {
    return undefined;
  }
}

/**
 * Network failures by the message of Deno, Node or Bun, with ours and a remedy. The first that matches
 * counts: a message about a host's name may contain that name, and with it any other word.
 */
const FAILURES: readonly { pattern: RegExp; why?: string; hint?: string }[] = [
  {
    pattern: /dns error|failed to lookup|ENOTFOUND|EAI_AGAIN/i,
    why: "its host name is unknown",
  },
  {
    pattern: /CaUsedAsEndEntity/,
    why: "its certificate is one of a CA, not of a server",
    hint:
      "Make the server a certificate without CA rights: add -addext basicConstraints=CA:FALSE " +
      "to openssl req -x509. docs/operating.md has the whole command.",
  },
  {
    pattern: /self[- ]signed certificate|first certificate|local issuer certificate/,
    why: "its certificate is of an unknown CA",
    hint: "Point NODE_EXTRA_CA_CERTS at the CA's certificate.",
  },
  {
    pattern: /certificate|UnknownIssuer|CA file/i,
    hint: "Point DENO_CERT at the CA's certificate, or set DENO_TLS_CA_STORE=system.",
  },
  {
    pattern:
      /InvalidContentType|wrong version number|packet length too long|routines:.*:http request/i,
    why: "it does not use HTTPS",
    hint: "Check whether the address in CLI_BASE_URL begins with http:// instead.",
  },
  {
    pattern: /SSL routines|TLS handshake|secure TLS connection/i,
    why: "the TLS handshake failed",
    hint: "Check whether the server uses TLS 1.2 or later, and whether CLI_BASE_URL should begin " +
      "with http:// instead.",
  },
  {
    pattern: /HTTP version parsed|match the HTTP|InvalidHTTPResponse/i,
    why: "its answer is not HTTP",
    hint: "Check whether the address in CLI_BASE_URL begins with https:// instead.",
  },
  {
    pattern: /proxy|tunnel/i,
    hint: "Check the proxy variables (HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY).",
  },
  { pattern: /refused/i, why: "the connection was refused" },
  {
    pattern: /port \d+ are blocked|bad port/i,
    why: "its port is reserved for another protocol",
    hint: "Start the service on another port, and name it in CLI_BASE_URL.",
  },
  { pattern: /ETIMEDOUT|timed out|timeout error/i, why: "it did not answer in time" },
  { pattern: /E(?:HOST|NET)UNREACH|is unreachable|no route/i, why: "no network leads to it" },
  {
    pattern: /connection closed|reset by peer|ECONNRESET|side closed|reading a body|incomplete/i,
    why: "the connection broke before the answer was complete",
  },
];

/** The message of a platform that cannot decompress an answer. */
const DAMAGED =
  /^(?:unexpected end of file$|corrupt|deflate|zlib|zstd|brotli|decompress|incorrect \w+ check$|invalid (?:gzip|block|stored|distance|code|literal|bit))/i;

/** The error for a missing answer, with the settings to check. */
export function unreachable(error: unknown, address: string): NetworkError {
  if (error instanceof NetworkError) return error;
  const url = new URL(address);
  const text = deepestMessage(error).replace(
    /^error sending request .*?: client error \(\w+\): /,
    "",
  );
  if (DAMAGED.test(text)) return notReadable("it is damaged", address, error);
  const failure = FAILURES.find(({ pattern }) => pattern.test(text));
  const why = isTimeout(error) ? "it did not answer in time" : failure?.why ?? text;
  const hint = isDenied(error)
    ? `Run the program with: --allow-net=${url.host}`
    : failure?.hint ?? whereToLook(url, isRefused(error));
  return new NetworkError(`Cannot reach ${url.origin}: ${why}`, { hint, cause: error });
}

/** The settings to check when an address does not answer. */
function whereToLook(url: URL, refused: boolean): string {
  if (!isLoopback(url.href)) {
    return "Check CLI_BASE_URL, the network and the proxy variables " +
      "(HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY).";
  }
  if (!refused) return "Check whether the local service runs: cli service status";
  const start = "Start the local service with: cli service start";
  if (url.port === "4010") return start;
  // The place of the data is unknown here, and a service with other data does not know the token.
  return `${start} --port ${url.port || 80}, and with the same --data or CLI_SERVICE_DATABASE ` +
    "as before";
}

/** Whether the other side exists and refused the connection. */
function isRefused(error: unknown): boolean {
  return /refused/i.test(deepestMessage(error));
}

/** Whether the time for the request ran out. */
function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === "TimeoutError";
}

/** Whether the program lacks the permission to connect: no retry can help. */
function isDenied(error: unknown): boolean {
  return error instanceof Error && error.name === "NotCapable";
}

/**
 * The innermost message of nested errors: the platform's outer message is only `fetch failed`. Node
 * has an error without a message, but with a code, for several addresses of one name.
 */
export function deepestMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error ?? "");
  if (error.cause instanceof Error) return deepestMessage(error.cause);
  return error.message || ("code" in error ? String(error.code) : error.name);
}

/** The error for an answer that cannot be the service's, with the settings to check. */
export function unreadable(what: string, address: string): NetworkError {
  return notReadable(`it has ${what}`, address);
}

/** The same for any reason. */
function notReadable(why: string, address: string, cause?: unknown): NetworkError {
  return new NetworkError(`Cannot read the answer of ${address}: ${why}`, {
    cause,
    hint: "Check that CLI_BASE_URL is the service's address, and that no proxy answers for it " +
      "(HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY).",
  });
}
