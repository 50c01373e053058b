/**
 * The one part of the service that web pages may use: what an app asks with a public key. Pages of
 * this machine may, and those of other origins that were named when the service was started.
 *
 * @module
 */

import { ConfigError } from "../../errors.ts";

/** The beginnings of the addresses that apps use. */
const FOR_APPS = ["/v1/", "/rcbilling/v1/"];

/** An origin on this machine, with any scheme: apps in a web view have one of their own. */
const LOCAL = /^[a-z][a-z0-9+.-]*:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/;

/** What may be named as an origin: a scheme and a host, with a port where it has one. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#,@]+$/;

/** How long a browser may remember an answer about what is allowed, in seconds. */
const REMEMBERED_S = 600;

/** Whether an address is one that apps use. */
export function isForApps(pathname: string): boolean {
  return FOR_APPS.some((start) => pathname.startsWith(start));
}

/** Whether a text names an origin, such as `https://app.example.com`. */
export function isOrigin(text: string): boolean {
  if (!ORIGIN.test(text)) return false;
  const url = URL.parse(text);
  return url !== null && (url.origin === text || url.origin === "null");
}

/**
 * Tells which origins' pages may use the addresses for apps.
 *
 * @throws {ConfigError} when a name is no origin.
 */
export function createOrigins(named: readonly string[]): (origin: string) => boolean {
  const wrong = named.find((text) => !isOrigin(text));
  if (wrong !== undefined) {
    throw new ConfigError(
      `Cannot allow the origin ${JSON.stringify(wrong)}: it must be a scheme and a host, such as ` +
        "https://app.example.com or http://192.168.1.5:5173",
    );
  }
  const known = new Set(named);
  return (origin) => LOCAL.test(origin) || known.has(origin);
}

/** Answers the question that a browser asks before a page's request. Undefined: it is none. */
export function answerPreflight(request: Request): Response | undefined {
  const method = request.headers.get("Access-Control-Request-Method");
  if (request.method !== "OPTIONS" || method === null || !request.headers.has("Origin")) {
    return undefined;
  }
  const headers = new Headers({
    "Access-Control-Allow-Methods": "GET, POST, PATCH",
    "Access-Control-Max-Age": String(REMEMBERED_S),
    "Cache-Control": "no-store",
  });
  // An app may send headers of its own besides those of its SDK. None of them opens anything.
  const wanted = request.headers.get("Access-Control-Request-Headers");
  if (wanted !== null) headers.set("Access-Control-Allow-Headers", wanted);
  if (request.headers.get("Access-Control-Request-Private-Network") === "true") {
    headers.set("Access-Control-Allow-Private-Network", "true");
  }
  return new Response(null, { status: 204, headers });
}

/** Lets the page that asked read an answer. Other requests than those of pages stay as they are. */
export function openToPage(request: Request, response: Response, exposed: string): Response {
  const origin = request.headers.get("Origin");
  if (origin === null) return response;
  const headers = new Headers(response.headers);
  headers.set("Access-Control-Allow-Origin", origin);
  headers.set("Access-Control-Expose-Headers", exposed);
  headers.set("Vary", "Origin");
  const { status, statusText } = response;
  return new Response(response.body, { status, statusText, headers });
}
