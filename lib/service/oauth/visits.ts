/**
 * What the pages' endpoints share: checks of a browser's request, cookies, and the ways back.
 *
 * @module
 */

import { Refusal } from "../contract/errors.ts";
import { faultOf } from "../contract/fault.ts";
import { answerFailure, type Reporter } from "../http/respond.ts";
import type { Target } from "./authorization_request.ts";
import { formCookie, type NewForm, secretIn, type ShownForm } from "./consent_forms.ts";
import { refusalPage } from "./pages.ts";
import { issuerOf, type OAuthParts } from "./parts.ts";
import { withAnswer } from "./redirect.ts";
import { OAuthRefusal, PageRefusal, unusableForm } from "./refusal.ts";

const LATER = "No access was granted. Reload this page when the service works again.";

/** Answers an error with a page: whoever opens the address sees it in a browser. */
export function refuseWithPage(error: unknown, _request: Request, reporter: Reporter): Response {
  if (error instanceof PageRefusal) return refusalPage(error);
  if (error instanceof OAuthRefusal) return refusalPage(unusableForm(`${error.message}.`, error));
  if (error instanceof Refusal) {
    const { status, message, details: { headers = {} } } = error;
    return refusalPage(unusableForm(`${message}.`, { status, headers }));
  }
  return answerFailure(reporter, (report) => {
    const { status, message, headers } = faultOf(error, report);
    const view = { title: "You cannot sign in at the moment", message: `${message}.`, next: LATER };
    return refusalPage(new PageRefusal(view, { status, headers }));
  });
}

/** Refuses a request that no person's own window makes, such as that of an image of another site. */
export function checkNavigation(request: Request): void {
  const mode = request.headers.get("Sec-Fetch-Mode") ?? "navigate";
  const destination = request.headers.get("Sec-Fetch-Dest") ?? "document";
  if (mode === "navigate" && destination === "document") return;
  throw new PageRefusal({
    title: "This sign-in link is not valid",
    message: "It was loaded inside another page. Open it in its own window.",
  }, { status: 403 });
}

/** A form that another page sent, or that something other than a browser did, is refused. */
export function checkOrigin(parts: OAuthParts, request: Request): void {
  const origin = request.headers.get("Origin");
  const site = request.headers.get("Sec-Fetch-Site") ?? "same-origin";
  const own = [issuerOf(parts, request), new URL(request.url).origin];
  if (origin !== null && own.includes(origin) && site === "same-origin") return;
  throw unusableForm("The form was sent from a different page.", { status: 403 });
}

/** The form that a browser sends back, with the secret in its cookie. */
export function shownForm(parts: OAuthParts, request: Request, id: string): ShownForm {
  const secret = secretIn(request.headers.get("Cookie"), id, cookieOptions(parts, request));
  return { id, secret };
}

/** The header that gives a form's cookie to the browser. */
export function cookieOf(
  parts: OAuthParts,
  request: Request,
  { id, secret }: NewForm,
  options: { returns?: boolean } = {},
): string {
  return formCookie(id, secret, { ...cookieOptions(parts, request), ...options });
}

/** The header that takes a form's cookie away. */
export function noCookie(parts: OAuthParts, request: Request, id: string): string {
  return formCookie(id, undefined, cookieOptions(parts, request));
}

/** A browser that goes to a provider, or comes back from it. */
export function visitOf(
  parts: OAuthParts,
  request: Request,
  form: NewForm,
): { form: NewForm; origin: string; now: number } {
  return { form, origin: issuerOf(parts, request), now: parts.clock() };
}

function cookieOptions(parts: OAuthParts, request: Request) {
  return {
    secure: issuerOf(parts, request).startsWith("https:"),
    lifetime: parts.lifetimes.form,
  };
}

/** Sends the browser to the client, with the answer, its state and who answers: RFC 9207. */
export function redirectToClient(
  parts: OAuthParts,
  request: Request,
  { redirect_uri, state }: Pick<Target, "redirect_uri" | "state">,
  answer: Readonly<Record<string, string>>,
): Response {
  const whole = {
    ...answer,
    ...state === undefined ? {} : { state },
    iss: issuerOf(parts, request),
  };
  return redirect(withAnswer(redirect_uri, whole));
}

/** Sends the browser elsewhere. */
export function redirect(location: string, headers: Record<string, string> = {}): Response {
  return new Response(null, {
    status: 303,
    headers: {
      Location: location,
      "Cache-Control": "no-store",
      "Referrer-Policy": "no-referrer",
      ...headers,
    },
  });
}
