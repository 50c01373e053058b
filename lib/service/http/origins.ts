/**
 * The addresses that web pages may use: those for apps with a public key. Pages of this machine may
 * use them, and pages of origins named at start.
 *
 * @module
 */

import { UsageError } from "../../errors.ts";
import { respondEmpty } from "./respond.ts";

/** The path prefixes for apps. */
const FOR_APPS = ["/v1/", "/rcbilling/v1/"];

/** An origin on this machine, with any scheme. Apps in a web view use their own scheme. */
const LOCAL = /^[a-z][a-z0-9+.-]*:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/;

/** The form of an origin: a scheme, a host and an optional port. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#,@]+$/;

/** The header with the tag of a response, which pages may read; the SDKs use this name. */
export const ETAG = "X-RevenueCat-ETag";

/** The lifetime of a preflight response in the browser's cache, in seconds. */
const REMEMBERED_S = 600;

/** Whether an address is one for apps. */
export function isForApps(pathname: string): boolean {
  return FOR_APPS.some((start) => pathname.startsWith(start));
}

/** Whether a text is an origin, such as `https://app.example.com`. */
export function isOrigin(text: string): boolean {
  if (!ORIGIN.test(text)) return false;
  const url = URL.parse(text);
  return url !== null && (url.origin === text || url.origin === "null");
}

/**
 * Makes the check whether an origin's pages may use the addresses for apps.
 *
 * @throws {UsageError} for an invalid origin.
 */
export function createOrigins(named: readonly string[]): (origin: string) => boolean {
  const wrong = named.find((text) => !isOrigin(text));
  if (wrong !== undefined) {
    throw new UsageError(
      `Cannot allow the origin ${JSON.stringify(wrong)}: it must be a scheme and a host, such as ` +
        "https://app.example.com or http://192.168.1.5:5173",
    );
  }
  const known = new Set(named);
  return (origin) => LOCAL.test(origin) || known.has(origin);
}

/** Answers a preflight request. Undefined for any other request. */
export function answerPreflight(request: Request): Response | undefined {
  const method = request.headers.get("Access-Control-Request-Method");
  if (request.method !== "OPTIONS" || method === null || !request.headers.has("Origin")) {
    return undefined;
  }
  // An app may send further headers besides those of its SDK. None of them gives access.
  const wanted = request.headers.get("Access-Control-Request-Headers");
  const isPrivate = request.headers.get("Access-Control-Request-Private-Network") === "true";
  return respondEmpty(204, {
    "Access-Control-Allow-Methods": "GET, POST, PATCH",
    "Access-Control-Max-Age": String(REMEMBERED_S),
    ...wanted !== null && { "Access-Control-Allow-Headers": wanted },
    ...isPrivate && { "Access-Control-Allow-Private-Network": "true" },
  });
}

/** Lets a page read the response to its request. Other responses stay unchanged. */
export function openToPage(request: Request, response: Response): Response {
  const origin = request.headers.get("Origin");
  if (origin === null) return response;
  const headers = new Headers(response.headers);
  headers.set("Access-Control-Allow-Origin", origin);
  headers.set("Access-Control-Expose-Headers", `${ETAG}, X-Request-Id`);
  headers.set("Vary", "Origin");
  const { status, statusText } = response;
  return new Response(response.body, { status, statusText, headers });
}
