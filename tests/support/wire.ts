/**
 * A client with scripted answers, for behaviour that a real service does not show on demand.
 *
 * @module
 */

import { type Client, type ClientOptions, createClient } from "../../lib/client.ts";

/** The wire's reaction to a request: an answer, or none. */
export type Move = Response | Error | ((request: Request) => Response | Promise<Response>);

/** A request as it was sent. */
export interface Posted {
  /** The request's method. */
  method: string;
  /** The whole address. */
  url: string;
  /** The headers. */
  headers: Headers;
  /** The body's text. */
  body: string;
}

/** A client, with a record of its wire. */
export interface Wire {
  /** The client. */
  readonly client: Client;
  /** Every request, in order. */
  readonly posted: Posted[];
  /** Every wait between two tries, in milliseconds. */
  readonly waits: number[];
}

/** The address of a service that does not exist. */
export const NOWHERE = "https://service.example";

/** Makes a client whose requests get the reactions in order. The last one repeats. */
export function openWire(moves: readonly Move[], options: Partial<ClientOptions> = {}): Wire {
  const posted: Posted[] = [];
  const waits: number[] = [];
  const client = createClient({
    baseUrl: NOWHERE,
    projectId: "proj1",
    credential: "atk_one",
    pause: (ms) => Promise.resolve(void waits.push(ms)),
    fetch: async (request) => {
      const { method, url, headers } = request;
      posted.push({ method, url, headers: new Headers(headers), body: await request.text() });
      const move = moves[Math.min(posted.length, moves.length) - 1];
      if (move === undefined || move instanceof Error) throw move;
      return typeof move === "function" ? await move(request) : move.clone();
    },
    ...options,
  });
  return { client, posted, waits };
}

/** An answer with a JSON body. */
export function answer(status: number, body: unknown, headers: HeadersInit = {}): Response {
  return new Response(JSON.stringify(body), { status, headers });
}

/** An answer of the kind that refuses. */
export function refused(
  status: number,
  fields: Record<string, unknown> = {},
  headers: HeadersInit = {},
): Response {
  const body = { object: "error", type: "some_error", message: "No", retryable: true, ...fields };
  return answer(status, body, headers);
}

/** A failure as the platform reports it. */
export function networkFailure(
  why = "error sending request for url (https://service.example/): client error (Connect): " +
    "tcp connect error: Connection refused (os error 111)",
): Error {
  return new TypeError("fetch failed", { cause: new Error(why) });
}
