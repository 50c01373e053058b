/**
 * Sends requests at random to everything that the service has, and judges every answer.
 *
 * @module
 */

import { equal, ok } from "node:assert/strict";
import { fc, roundSeed } from "./properties.ts";
import { type AnyRequest, anyRequest, OWN_ORIGIN } from "./any_request.ts";
import { checkedFetch, checkError } from "./openapi.ts";
import type { Stock } from "./request_stock.ts";
import type { Credential } from "./request_targets.ts";

/** A service to send requests to. */
export interface Site {
  /** Its address, without a slash at the end. */
  base_url: string;
  /** What stands behind `Bearer`, by whose credential it is. */
  credentials: Record<Exclude<Credential, "none">, string>;
  /** The ids that it is known to have. */
  stock: Stock;
  /** Sends a request. */
  fetch(request: Request): Promise<Response>;
}

/** How many answers of each status each target has given. */
export type Tally = Map<string, Map<number, number>>;

/** How long a request may take, in milliseconds. */
const PATIENCE_MS = 30_000;

/**
 * Sends requests, some at a time, every second one to a wanted target if any are named. Throws at the
 * first that is answered as it must not be.
 */
export async function sendGenerated(
  site: Site,
  options: {
    requests: number;
    atATime: number;
    tally: Tally;
    round: number;
    wanted?: ReadonlySet<string>;
  },
): Promise<void> {
  const { requests, atATime, tally, round, wanted } = options;
  const fetch = await checkedFetch(site.fetch);
  const one = anyRequest(site.stock, wanted);
  const some = fc.tuple(...Array.from({ length: atATime }, () => one));
  await fc.assert(
    fc.asyncProperty(some, async (all) => {
      await Promise.all(all.map((request) => exchange({ ...site, fetch }, request, tally)));
    }),
    // The same requests again would meet another state, so there is nothing to shrink.
    { numRuns: Math.ceil(requests / atATime), endOnFailure: true, ...roundSeed(round) },
  );
}

/** Sends a request and judges the answer. */
async function exchange(site: Site, request: AnyRequest, tally: Tally): Promise<void> {
  const { target, path } = request;
  const sent = requestOf(site, request);
  const label = `${target.method} ${path}`;
  const response = await inTime(site.fetch(sent), label);
  const text = await inTime(response.text(), label);
  const { status } = response;
  ok(status < 500, `${label} ${request.body} → ${status} ${text}`);
  checkAnswer(request, response, text);
  site.stock.learn(target.method, new URL(sent.url).pathname, response, text);
  const counts = tally.get(target.name) ?? new Map<number, number>();
  tally.set(target.name, counts.set(status, (counts.get(status) ?? 0) + 1));
}

/** The request as it is sent. */
function requestOf({ base_url, credentials }: Site, request: AnyRequest): Request {
  const { target, path, body, credential } = request;
  const headers = new Headers(request.headers);
  if (headers.get("Origin") === OWN_ORIGIN) headers.set("Origin", base_url);
  if (body === undefined) headers.delete("Content-Type");
  const own = target.credential === "none" ? "" : `Bearer ${credentials[target.credential]}`;
  const authorization = credential ?? own;
  if (authorization !== "") headers.set("Authorization", authorization);
  return new Request(base_url + path, {
    method: target.method,
    headers,
    body: body ?? null,
    redirect: "manual",
  });
}

/** What the document does not speak of: errors of the simulator, and of signing in. */
function checkAnswer({ target, path }: AnyRequest, { status, headers }: Response, text: string) {
  const label = `${target.method} ${path} → ${status}`;
  const type = headers.get("Content-Type") ?? "";
  if (target.path === "/oauth2/authorize" && type !== "application/json") {
    if (status !== 303) ok(type.startsWith("text/html"), `${label} is ${type}`);
    return;
  }
  if (/^\/(v|rcbilling\/)/.test(target.path)) return;
  if (text === "") return ok(target.credential === "none", `${label} is empty`);
  equal(type, "application/json", label);
  const answer = JSON.parse(text);
  if (status < 400) return;
  // The guard before everything speaks to web pages in the same way, whatever they ask for.
  if (target.path.startsWith("/_sim/") || answer.object === "error") checkError(answer, label);
  else {
    equal(typeof answer.error, "string", label);
  }
}

/** Throws when something takes too long. */
async function inTime<T>(work: Promise<T>, label: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`${label} has no answer after ${PATIENCE_MS} ms`)),
    PATIENCE_MS,
  );
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** How many answers had a status of this class: 2 for 200 and its kin; redirects count as done. */
export function countOf(tally: Tally, name: string, hundred: number): number {
  let count = 0;
  for (const [status, times] of tally.get(name) ?? []) {
    const own = Math.floor(status / 100);
    if ((own === 3 ? 2 : own) === hundred) count += times;
  }
  return count;
}
