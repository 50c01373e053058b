/**
 * One try of a request, what a failed one amounts to, when to try again and how long to wait before.
 *
 * @module
 */

import type { ClientOptions } from "./client_options.ts";
import { isLoopback } from "./address.ts";
import { readAnswer } from "./answer.ts";
import { ApiError, Cancelled, NetworkError, ToolkitError } from "./errors.ts";

const FIRST_WAIT_MS = 200;
const LONGEST_OWN_WAIT_MS = 10_000;

/** What came of one try. */
export interface Outcome {
  /** The answer, unless there was none. */
  response: Response | undefined;
  /** The answer's body. */
  text: string;
  /** Why there was no answer. */
  error: unknown;
  /** Where the request went. */
  address: string;
  /** Whether repeating the request cannot make its effect happen twice. */
  repeatable: boolean;
}

/** Sends a request once, within its time, and reads the whole body. */
export async function attemptOnce(
  settings: ClientOptions,
  request: Request,
  body: string | undefined,
  attempt: number,
): Promise<Outcome> {
  if (settings.signal?.aborted) throw new Cancelled("Stopped", { cause: settings.signal.reason });
  const started = performance.now();
  const timeout = AbortSignal.timeout(settings.timeoutMs ?? 30_000);
  const signal = settings.signal ? AbortSignal.any([settings.signal, timeout]) : timeout;
  const outcome: Outcome = {
    response: undefined,
    text: "",
    error: undefined,
    address: request.url,
    repeatable: request.method === "GET" || request.headers.has("Idempotency-Key"),
  };
  try {
    const send = settings.fetch ?? fetch;
    outcome.response = await send(new Request(request, { signal }));
    outcome.text = await readAnswer(outcome.response, settings.silenceMs);
  } catch (error) {
    if (settings.signal?.aborted) throw new Cancelled("Stopped", { cause: settings.signal.reason });
    outcome.response = undefined;
    outcome.error = error;
  }
  settings.onExchange?.({
    attempt,
    request,
    requestBody: body,
    response: outcome.response,
    responseBody: outcome.text,
    error: outcome.error,
    durationMs: performance.now() - started,
  });
  return outcome;
}

/**
 * Milliseconds to wait before the next try, or undefined when there must be none: the answer is
 * final, the request may have taken effect and has no key, or the service names a longer wait than
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
  // Whether a local service is there is known in seconds: nobody is kept waiting for the answer no.
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

/** Whether another try could end differently and do no harm. */
function mayRetry({ response, text, error, repeatable }: Outcome): boolean {
  // An answer that came and cannot be read comes again.
  if (!response) return repeatable && !isDenied(error) && !(error instanceof ToolkitError);
  if (response.status === 429 || response.status === 423) return saysRetryable(text) ?? true;
  return repeatable && [502, 503, 504].includes(response.status);
}

/** The body's own word on whether the request may be repeated, where it has one. */
function saysRetryable(text: string): boolean | undefined {
  const field = errorField(text, "retryable");
  return typeof field === "boolean" ? field : undefined;
}

/** Milliseconds that the service asks to wait: `Retry-After` (seconds or a date), else `backoff_ms`. */
export function waitTold(response: Pick<Response, "headers">, text: string): number | undefined {
  const header = response.headers.get("Retry-After")?.trim();
  if (header && /^\d+$/.test(header)) return Number(header) * 1000;
  // Without the check a date would be seen in "-5" and in "1.5".
  const date = header?.endsWith("GMT") ? Date.parse(header) : NaN;
  if (!Number.isNaN(date)) return Math.max(0, date - Date.now());
  const backoff = errorField(text, "backoff_ms");
  return typeof backoff === "number" && backoff >= 0 ? backoff : undefined;
}

/** One field of an error body, or undefined when the body is no JSON object. */
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

/** Turns an error answer into an `ApiError`, whatever its body holds. */
export function refusal(
  response: Response,
  raw: string,
  body: unknown,
  request: Request,
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
    // Errors of version 1 have a number in the place of a type.
    type: text("type") || (typeof fields.code === "number" ? `v1_${fields.code}` : "unknown"),
    retryable: fields.retryable === true,
    param: text("param"),
    retryAfterMs: waitTold(response, raw),
    requestId: response.headers.get("X-Request-Id") ?? undefined,
    referencedObjectIds: texts("referenced_object_ids"),
    missingScopes: texts("missing_scopes"),
    method: request.method,
    path: new URL(request.url).pathname,
  });
}

/** A refusal in the service's own form, or undefined: something else may stand in its place. */
export function ownRefusal(
  { response, text }: Outcome,
  request: Request,
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

/** Failures of the network by what the platform says of them, in our words and with what to do. */
const FAILURES: readonly { pattern: RegExp; why?: string; hint?: string }[] = [
  {
    pattern: /certificate|UnknownIssuer|CA file/i,
    hint: "Point DENO_CERT at the CA's certificate, or set DENO_TLS_CA_STORE=system.",
  },
  {
    pattern: /InvalidContentType/,
    why: "it does not speak HTTPS",
    hint: "Check whether the address in CLI_BASE_URL begins with http:// instead.",
  },
  {
    pattern: /proxy|tunnel/i,
    hint: "Check the proxy variables (HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY).",
  },
  { pattern: /refused/i, why: "the connection was refused" },
  { pattern: /dns error|failed to lookup/i, why: "no host has this name" },
  {
    pattern: /connection closed|reset by peer|reading a body|incomplete/i,
    why: "the connection broke before the answer was complete",
  },
];

/** Says why nothing answered, and what to look at. */
export function unreachable(error: unknown, address: string): NetworkError {
  if (error instanceof NetworkError) return error;
  const url = new URL(address);
  const text = deepestMessage(error);
  const failure = FAILURES.find(({ pattern }) => pattern.test(text));
  const why = isTimeout(error)
    ? "it did not answer in time"
    : failure?.why ?? text.replace(/^error sending request .*?: client error \(\w+\): /, "");
  const hint = isDenied(error)
    ? `Run the program with: --allow-net=${url.host}`
    : failure?.hint ?? whereToLook(url, isRefused(error));
  return new NetworkError(`Cannot reach ${url.origin}: ${why}`, { hint, cause: error });
}

/** What to look at when an address does not answer. */
function whereToLook(url: URL, refused: boolean): string {
  if (!isLoopback(url.href)) {
    return "Check CLI_BASE_URL, the network and the proxy variables " +
      "(HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY).";
  }
  if (!refused) return "See whether the local service runs: cli service status";
  const start = "Start the local service with: cli service start";
  if (url.port === "4010") return start;
  // Nobody here knows where its data is, and with other data it knows no token.
  return `${start} --port ${url.port || 80}, and with the same --data if it had one`;
}

/** Whether the other side was there and did not take the connection. */
function isRefused(error: unknown): boolean {
  return /refused/i.test(deepestMessage(error));
}

/** Whether the time for the request ran out. */
function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === "TimeoutError";
}

/** Whether the program lacks the permission to connect: no later try has it. */
function isDenied(error: unknown): boolean {
  return error instanceof Error && error.name === "NotCapable";
}

/** What the innermost of nested errors says: the platform's `fetch failed` only says that. */
function deepestMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error ?? "");
  return error.cause instanceof Error ? deepestMessage(error.cause) : error.message;
}

/** Says that what answered cannot be the service, and what to look at. */
export function unreadable(what: string, address: string): NetworkError {
  return new NetworkError(`Cannot read the answer of ${address}: it has ${what}`, {
    hint: "Check that CLI_BASE_URL is the service's address, and that no proxy answers in its " +
      "place (HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY).",
  });
}
