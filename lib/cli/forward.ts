/**
 * Sending an event on to a program, as the service itself delivers it.
 *
 * @module
 */

import { waitTold } from "../retry.ts";
import { VERSION } from "../version.ts";
import type { Context } from "./context.ts";

/** An event with the body that is sent, not a byte of it changed. */
export interface ForwardedEvent {
  /** Its id. */
  id: string;
  /** What happened, such as `RENEWAL`. */
  type: string;
  /** To whom. */
  customer_id: string;
  /** The body. */
  payload: string;
}

/** Where events go. */
export interface Target {
  /** The address. */
  url: URL;
  /** Whether its certificate may be anybody's. */
  insecure: boolean;
}

/** What the program has answered. */
export interface Answer {
  /** The status, or null where there was no answer. */
  status: number | null;
  /** Why that is no success, or null. */
  error: string | null;
  /** How long it took, in milliseconds. */
  duration_ms: number;
  /** How long it asks to be left alone, in milliseconds. */
  retryAfterMs: number | undefined;
}

/** How long a program may take, in milliseconds: as long as the service gives it. */
const LONGEST_MS = 60_000;

/** Sends an event once, signed anew. Only the person's own stop is thrown. */
export async function forwardEvent(
  context: Context,
  { url, insecure }: Target,
  event: ForwardedEvent,
  secret: string,
): Promise<Answer> {
  const { around, signal: stop } = context;
  const { signatureHeaders } = await import("../service/events/signatures.ts");
  const started = around.now();
  const headers = new Headers([
    ["Content-Type", "application/json"],
    ["User-Agent", `svc-webhooks/${VERSION}`],
    ...signatureHeaders([secret], { id: event.id, body: event.payload, now: started }),
  ]);
  const signal = AbortSignal.any([stop, AbortSignal.timeout(LONGEST_MS)]);
  const init = {
    method: "POST",
    headers,
    body: event.payload,
    signal,
    redirect: "manual",
  } as const;
  const send = around.fetch ?? fetch;
  try {
    const response = insecure && url.protocol === "https:"
      ? await sendUnchecked(url, init)
      : await send(new Request(url, init));
    await response.body?.cancel();
    const { status } = response;
    return {
      status,
      error: response.ok ? null : `it answers ${status}`,
      duration_ms: around.now() - started,
      retryAfterMs: waitTold(response, ""),
    };
  } catch (error) {
    if (stop.aborted) throw error;
    const why = signal.aborted ? `it takes longer than ${LONGEST_MS / 1000} s` : reasonOf(error);
    return {
      status: null,
      error: why,
      duration_ms: around.now() - started,
      retryAfterMs: undefined,
    };
  }
}

/** Sends a request whatever the other side's certificate says. `fetch` cannot do that. */
async function sendUnchecked(
  url: URL,
  { method, headers, body, signal }: {
    method: string;
    headers: Headers;
    body: string;
    signal: AbortSignal;
  },
): Promise<Response> {
  const { request } = await import("node:https");
  return await new Promise((resolve, reject) => {
    const options = {
      method,
      headers: Object.fromEntries(headers),
      rejectUnauthorized: false,
      // Nobody's word is asked for, so the machine's own authorities need not be read.
      ca: [],
      agent: false as const,
    };
    const sent = request(url, options, (answer) => {
      const retryAfter = answer.headers["retry-after"];
      answer.on("error", reject);
      answer.on("end", () => {
        const status = answer.statusCode ?? 0;
        // A `Response` cannot hold what is no status of an answer.
        if (status < 200 || status > 599) return reject(new Error(`it answers ${status}`));
        resolve(
          new Response(null, { status, headers: retryAfter ? { "Retry-After": retryAfter } : {} }),
        );
      });
      answer.resume();
    });
    sent.on("error", reject);
    signal.addEventListener("abort", () => sent.destroy(new Error("it was stopped")));
    sent.end(body);
  });
}

/** Why there was no answer, as the end of a sentence. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reasonOf(error.cause);
  if (/refused/i.test(error.message)) return "nothing listens there";
  if (/certificate|UnknownIssuer/i.test(error.message)) {
    return "its certificate is not trusted; --insecure does without";
  }
  return error.message;
}
