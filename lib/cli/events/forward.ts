/**
 * Forwarding an event to a program, as the service itself delivers it.
 *
 * @module
 */

import { waitTold } from "../../retry.ts";
import { VERSION } from "../../version.ts";
import type { Context } from "../context.ts";
import type { PulledEvent } from "../../simulator/listeners.ts";

/** The target of events. */
export interface Target {
  /** The address. */
  url: URL;
  /** Whether to accept any certificate. */
  insecure: boolean;
  /** The time limit for its complete answer, in milliseconds. Default: as for the service. */
  longestMs?: number | undefined;
}

/** The program's answer. */
export interface Answer {
  /** The status, or null without an answer. */
  status: number | null;
  /** The reason of a failure, or null. */
  error: string | null;
  /** The duration, in milliseconds. */
  duration_ms: number;
  /** The wait that it asks for, in milliseconds. */
  retryAfterMs: number | undefined;
}

/** The program's answer, as far as it is read. */
interface Reply {
  /** Its status. */
  status: number;
  /** Its headers. */
  headers: Headers;
  /** Its body. */
  body: AsyncIterable<Uint8Array> | null;
}

/** A request, for both ways of sending it. */
interface Sent {
  /** Its method. */
  method: "POST";
  /** Its headers. */
  headers: Headers;
  /** Its body. */
  body: string;
  /** Ends it. */
  signal: AbortSignal;
  /** Redirects are not followed. */
  redirect: "manual";
}

/**
 * Sends an event once, with a new signature, and judges the answer like the service judges those to
 * its own deliveries. It throws only when the person stops it.
 */
export async function forwardEvent(
  context: Pick<Context, "around" | "signal">,
  target: Target,
  event: PulledEvent,
  secret: string,
): Promise<Answer> {
  const { around, signal: stop } = context;
  const { signatureHeaders } = await import("../../service/events/signatures.ts");
  const { SCHEDULES: { dev: rules } } = await import("../../service/events/schedule.ts");
  const { longestMs = rules.timeoutMs } = target;
  const started = around.now();
  const headers = new Headers([
    ["Content-Type", "application/json"],
    ["User-Agent", `svc-webhooks/${VERSION}`],
    ...signatureHeaders([secret], { id: event.id, body: event.payload, now: started }),
  ]);
  const signal = AbortSignal.any([stop, AbortSignal.timeout(longestMs)]);
  const sent: Sent = { method: "POST", headers, body: event.payload, signal, redirect: "manual" };
  let reply: Reply | undefined;
  let error: string | null;
  try {
    reply = await send(context, target, sent);
    await readBody(reply);
    error = rules.isSuccess(reply.status) ? null : objection(reply.status);
  } catch (caught) {
    if (stop.aborted) throw caught;
    error = signal.aborted
      ? `it did not finish its answer within ${longestMs / 1000} s`
      : reply
      ? "it closed the connection during its response"
      : reasonOf(caught);
  }
  return {
    status: reply?.status ?? null,
    error,
    duration_ms: around.now() - started,
    retryAfterMs: reply && waitTold(reply, ""),
  };
}

/** Sends a request, and resolves when its answer begins. */
async function send(
  { around }: Pick<Context, "around">,
  { url, insecure }: Target,
  sent: Sent,
): Promise<Reply> {
  const sendTo = async (address: URL): Promise<Reply> =>
    insecure && url.protocol === "https:"
      ? await sendUnchecked(address, sent)
      : await (around.fetch ?? fetch)(new Request(address, sent));
  try {
    return await sendTo(url);
  } catch (error) {
    if (sent.signal.aborted || !isRefusedBy(error)) throw error;
    for (const address of loopbackAddresses(url, insecure)) {
      try {
        return await sendTo(address);
      } catch (other) {
        // A failure other than "nothing listens there" is more helpful.
        if (!isRefusedBy(other)) throw other;
      }
    }
    throw error;
  }
}

/**
 * The addresses of `localhost`. Many development servers listen on one of them only, and not every
 * system resolves the name to both.
 */
function loopbackAddresses(url: URL, insecure: boolean): URL[] {
  // A certificate names the host, not its addresses.
  if (url.protocol === "https:" && !insecure) return [];
  if (!/^(.+\.)?localhost\.?$/.test(url.hostname)) return [];
  return ["127.0.0.1", "[::1]"].map((host) => {
    const address = new URL(url);
    address.hostname = host;
    return address;
  });
}

/** Whether nothing listens at an address, or it does not exist: no byte was sent. */
function isRefusedBy(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError && error.errors.length > 0) {
    return error.errors.every(isRefusedBy);
  }
  if (error.cause instanceof Error) return isRefusedBy(error.cause);
  return /refused|dns error|failed to lookup|ENOTFOUND|not available|unreachable/i.test(
    error.message,
  );
}

/** Reads a body to its end, up to the service's limit. */
async function readBody({ body }: Reply): Promise<void> {
  const { KEPT_BYTES } = await import("../../service/events/http_client.ts");
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > KEPT_BYTES) return;
  }
}

/** The problem of a status that is not a success. */
function objection(status: number): string {
  const more = status >= 300 && status < 400 ? "; redirects are not followed" : "";
  return `it answers ${status}${more}`;
}

/** Sends a request with any certificate of the other side. `fetch` cannot do that. */
async function sendUnchecked(
  url: URL,
  { method, headers, body, signal }: Sent,
): Promise<Reply> {
  const { request } = await import("node:https");
  return await new Promise((resolve, reject) => {
    const options = {
      method,
      headers: Object.fromEntries(headers),
      rejectUnauthorized: false,
      // Certificates are not checked, so the machine's authorities are not needed.
      ca: [],
      agent: false as const,
    };
    const sent = request(url, options, (answer) => {
      const { statusCode: status = 0, headers: { "retry-after": retryAfter } } = answer;
      resolve({
        status,
        headers: new Headers(retryAfter ? [["Retry-After", retryAfter]] : []),
        body: answer,
      });
    });
    sent.on("error", reject);
    signal.addEventListener("abort", () => sent.destroy(new Error("it was stopped")));
    sent.end(body);
  });
}

/** The platform's texts of failures, and ours. */
const REASONS: readonly [pattern: RegExp, reason: string][] = [
  [/refused/i, "nothing listens there"],
  [
    /InvalidContentType|wrong version number|packet length/i,
    "it does not speak TLS; begin the address with http://",
  ],
  [
    /invalid HTTP|Parse Error|HPE_/i,
    "it does not speak HTTP; if it speaks TLS, begin the address with https://",
  ],
  [/certificate|UnknownIssuer/i, "its certificate is not trusted; pass --insecure to accept it"],
  [
    /connection closed|connection reset|reset by peer|socket hang up/i,
    "it closed the connection without a response",
  ],
  [/dns error|failed to lookup|ENOTFOUND/i, "its host name is unknown"],
];

/** The reason of a missing answer, as the end of a sentence. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reasonOf(error.cause);
  const { message } = error;
  const [, reason = message] = REASONS.find(([pattern]) => pattern.test(message)) ?? [];
  return reason;
}
