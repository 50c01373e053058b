/**
 * Receiving webhooks: checks the sender of a request and returns its event.
 *
 * @example A receiver
 * ```ts ignore
 * import { isEvent, verifyWebhook } from "../mod.ts";
 *
 * Deno.serve(async (request) => {
 *   const event = await verifyWebhook(request, "whsec_…");
 *   if (isEvent(event, "RENEWAL")) console.log(event.app_user_id, event.expiration_at_ms);
 *   return new Response("thanks");
 * });
 * ```
 *
 * @module
 */

import { AuthError, NetworkError, UsageError } from "./errors.ts";
import type { WebhookEvent } from "./webhook_event.ts";
import { joinBytes } from "./bytes.ts";

/** The options of a verification. */
export interface VerifyOptions {
  /**
   * The largest difference between the request's time and now, in milliseconds. Default: 5 minutes.
   */
  toleranceMs?: number;
  /** The current time, in milliseconds since 1970. Default: the machine's. */
  now?: number;
}

/** The size limit of a body, in bytes. */
const LARGEST_EVENT = 4 * 1024 * 1024;

/** The number of signatures of a request that are checked. */
const MOST_SIGNATURES = 10;

/** A signature in a request. */
interface Claimed {
  /** The key of the hash, derived from a secret. */
  keyOf(secret: string): Uint8Array<ArrayBuffer>;
  /** The signed text before the body. */
  prefix: string;
  /** The time of signing, in seconds since 1970. */
  seconds: number;
  /** The hash. */
  hash: Uint8Array<ArrayBuffer>;
}

/**
 * Verifies that the service sent a request, and returns its event. It reads the body.
 *
 * Either form of signature is accepted: `X-Webhook-Signature`, or the headers of Standard Webhooks.
 * While a secret is being replaced, pass both secrets. An event may arrive more than once, with the
 * same `id`; unknown types are returned as well.
 *
 * @throws {AuthError} when the signature is missing, too old, or matches none of the secrets:
 * answer 401.
 * @throws {NetworkError} when the signed content is not an event.
 * @throws {UsageError} when there is no secret, or the body was already read.
 */
export async function verifyWebhook(
  request: Request,
  secrets: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  const all = usableSecrets(secrets);
  if (request.bodyUsed || request.body?.locked) {
    throw new UsageError("Cannot verify a webhook: the body of its request has already been read", {
      hint: "Verify the webhook first, or pass request.clone().",
    });
  }
  const claimed = [...standardSignatures(request.headers), ...ownSignatures(request.headers)];
  if (claimed.length === 0) throw untrusted("it has no signature");
  const fresh = claimed.filter(({ seconds }) => isFresh(seconds, options));
  if (fresh.length === 0) throw untrusted("it was signed too long ago, or in the future");
  const body = await readBody(request);
  for (const signature of fresh) {
    for (const secret of all) {
      if (await fits(signature, secret, body)) return eventIn(body);
    }
  }
  throw untrusted("its signature matches none of the secrets");
}

/**
 * The secrets without surrounding space from a file or a shell. Values other than strings are
 * refused: converted, they would become guessable secrets such as `null`.
 */
function usableSecrets(secrets: unknown): string[] {
  const all: unknown[] = Array.isArray(secrets) ? secrets : [secrets];
  const usable = all.filter((secret) => typeof secret === "string")
    .map((secret) => secret.trim()).filter(holdsKey);
  if (usable.length > 0 && all.every((secret) => typeof secret === "string")) return usable;
  throw new UsageError("Cannot verify a webhook: there is no secret", {
    hint: "Pass the signing secret that was shown when the webhook was created.",
  });
}

/** Whether a secret contains anything unguessable. */
function holdsKey(secret: string): boolean {
  const [, encoded] = /^whsec_(.*)$/s.exec(secret) ?? [];
  return encoded === undefined ? secret !== "" : (fromBase64(encoded)?.length ?? 0) > 0;
}

/** The signatures in `webhook-signature`, the form of Standard Webhooks. */
function standardSignatures(headers: Headers): Claimed[] {
  const id = headers.get("webhook-id") ?? "";
  const time = headers.get("webhook-timestamp") ?? "";
  // Two headers of one name are joined by a comma.
  return (headers.get("webhook-signature") ?? "").split(/[\s,]+(?=v\d+[a-z]?,)/)
    .slice(0, MOST_SIGNATURES)
    .filter((part) => part.startsWith("v1,")).flatMap((part) => {
      const hash = fromBase64(part.slice(3));
      return hash
        ? [{ keyOf: standardKey, prefix: `${id}.${time}.`, seconds: secondsOf(time), hash }]
        : [];
    });
}

/** The signatures in `X-Webhook-Signature`: `t=…,v1=…`. */
function ownSignatures(headers: Headers): Claimed[] {
  const parts = (headers.get("x-webhook-signature") ?? "").split(",").map((part) => part.trim());
  const time = parts.find((part) => part.startsWith("t="))?.slice(2) ?? "";
  return parts.filter((part) => part.startsWith("v1=")).slice(0, MOST_SIGNATURES)
    .flatMap((part) => {
      const hash = fromHex(part.slice(3));
      return hash ? [{ keyOf: plainKey, prefix: `${time}.`, seconds: secondsOf(time), hash }] : [];
    });
}

const encoder = new TextEncoder();

/** The secret as it is written. */
function plainKey(secret: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(secret);
}

/** The decoded base64 of the secret. */
function standardKey(secret: string): Uint8Array<ArrayBuffer> {
  return fromBase64(secret.replace(/^whsec_/, "")) ?? plainKey(secret);
}

function secondsOf(text: string): number {
  return /^\d{1,12}$/.test(text) ? Number(text) : NaN;
}

function isFresh(seconds: number, { now = Date.now(), toleranceMs = 300_000 }: VerifyOptions) {
  return Math.abs(now - seconds * 1000) <= toleranceMs;
}

/** Whether a signature matches the secret. The platform compares in constant time. */
async function fits(
  { keyOf, prefix, hash }: Claimed,
  secret: string,
  body: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const bytes = keyOf(secret);
  if (bytes.length === 0) return false;
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes, hmac, false, ["verify"]);
  return await crypto.subtle.verify("HMAC", key, hash, joinBytes([encoder.encode(prefix), body]));
}

/** The event in a verified body. */
function eventIn(body: Uint8Array): WebhookEvent {
  const event = parsedEvent(body);
  if (event) return event;
  throw new NetworkError("Cannot read the webhook: its signed content is not an event");
}

function parsedEvent(body: Uint8Array): WebhookEvent | undefined {
  try {
    const { event } = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    const { type, id } = event;
    return typeof type === "string" && typeof id === "string" ? event : undefined;
  } catch {
    return undefined;
  }
}

/** Reads the body, up to the largest size of an event. */
async function readBody(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of request.body ?? []) {
    size += part.length;
    if (size > LARGEST_EVENT) throw untrusted("its body is too large");
    parts.push(part);
  }
  return joinBytes(parts);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function fromHex(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^([0-9a-f]{2})+$/i.test(text)) return undefined;
  return Uint8Array.from(text.match(/../g) ?? [], (digits) => parseInt(digits, 16));
}

function untrusted(why: string): AuthError {
  return new AuthError(`Cannot trust the webhook: ${why}`, {
    hint: "Answer with 401. If the webhook is genuine, check the secret, the clock, and that the " +
      "body is complete.",
  });
}
