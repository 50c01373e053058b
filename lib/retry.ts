/**
 * When to try a request again, and how long to wait before.
 *
 * @module
 */

import type { Outcome } from "./client.ts";
import { Cancelled } from "./errors.ts";

const FIRST_WAIT_MS = 200;
const LONGEST_OWN_WAIT_MS = 10_000;

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
  const ceiling = Math.min(FIRST_WAIT_MS * 3 ** (attempt - 1), LONGEST_OWN_WAIT_MS);
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
function mayRetry({ response, text, repeatable }: Outcome): boolean {
  if (!response) return repeatable;
  if (response.status === 429 || response.status === 423) return saysRetryable(text) ?? true;
  return repeatable && [502, 503, 504].includes(response.status);
}

/** The body's own word on whether the request may be repeated, where it has one. */
function saysRetryable(text: string): boolean | undefined {
  const field = errorField(text, "retryable");
  return typeof field === "boolean" ? field : undefined;
}

/** Milliseconds that the service asks to wait: `Retry-After` (seconds or a date), else `backoff_ms`. */
export function waitTold(response: Response, text: string): number | undefined {
  const header = response.headers.get("Retry-After")?.trim();
  if (header && /^\d+$/.test(header)) return Number(header) * 1000;
  const date = header ? Date.parse(header) : NaN;
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
