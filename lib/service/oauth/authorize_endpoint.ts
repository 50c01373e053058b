/**
 * The authorization endpoint: GET shows the page that asks, POST takes its answer.
 *
 * @module
 */

import { Refusal } from "../contract/errors.ts";
import { faultOf } from "../contract/fault.ts";
import type { OpenRoute } from "../http/open_server.ts";
import type { Reporter } from "../http/respond.ts";
import type { Tx } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";
import { findAccount, listAccounts } from "./accounts.ts";
import { type Asked, findTarget, readAsked, type Target } from "./authorization_request.ts";
import { addCode } from "./codes.ts";
import { addForm, formCookie, takeForm } from "./consent_forms.ts";
import { type Parameters, readForm } from "./form.ts";
import { consentPage, refusalPage } from "./pages.ts";
import { commit, issuerOf, type OAuthParts } from "./parts.ts";
import { withAnswer } from "./redirect.ts";
import { OAuthRefusal, PageRefusal, unusableForm } from "./refusal.ts";
import type { Span } from "./tokens.ts";

const PATH = "/oauth2/authorize";

const LATER = "No access was granted. Reload this page when the service works again.";

/** The routes of the page. */
export function authorizeRoutes(parts: OAuthParts): OpenRoute[] {
  return [
    {
      method: "GET",
      path: PATH,
      answer: ({ request, sender }) => answerRequest(parts, request, sender),
      refuse: refuseWithPage,
    },
    {
      method: "POST",
      path: PATH,
      answer: ({ request }) => answerForm(parts, request),
      refuse: refuseWithPage,
    },
  ];
}

/** Answers an error with a page: whoever opens the address sees it in a browser. */
function refuseWithPage(error: unknown, _request: Request, { report }: Reporter): Response {
  if (error instanceof PageRefusal) return refusalPage(error);
  if (error instanceof OAuthRefusal) return refusalPage(unusableForm(`${error.message}.`, error));
  if (error instanceof Refusal) {
    const { status, message, details: { headers = {} } } = error;
    return refusalPage(unusableForm(`${message}.`, { status, headers }));
  }
  const { status, message, headers } = faultOf(error, report);
  const view = { title: "You cannot sign in at the moment", message: `${message}.`, next: LATER };
  return refusalPage(new PageRefusal(view, { status, headers }));
}

/** Answers a client's request: with the page, or by redirecting with an error. */
async function answerRequest(
  parts: OAuthParts,
  request: Request,
  sender: string,
): Promise<Response> {
  checkNavigation(request);
  const { searchParams } = new URL(request.url);
  const target = await parts.store.read((tx) => findTarget(tx, searchParams));
  try {
    const asked = readAsked(searchParams);
    return parts.autoApprove === undefined
      ? await askForConsent(parts, request, target, { ...asked, sender })
      : await allowUnasked(parts, request, target, asked, parts.autoApprove);
  } catch (error) {
    if (!(error instanceof OAuthRefusal)) throw error;
    const answer = { error: error.code, error_description: error.message };
    return redirect(parts, request, target, answer);
  }
}

async function askForConsent(
  parts: OAuthParts,
  request: Request,
  target: Target,
  asked: Asked & { sender: string },
): Promise<Response> {
  const { accounts, form } = await commit(parts, async (tx, span) => {
    const accounts = await listAccounts(tx);
    if (accounts.length === 0) return { value: nobody("there is no account yet") };
    return { value: { accounts, form: await addForm(tx, target, asked, span) } };
  });
  const { client, redirect_uri } = target;
  const cookie = formCookie(form.id, form.secret, cookieOptions(parts, request));
  const view = { client: client.name, scope: asked.scope, redirect_uri, accounts, form: form.id };
  return consentPage(view, { "Set-Cookie": cookie });
}

async function allowUnasked(
  parts: OAuthParts,
  request: Request,
  target: Target,
  asked: Asked,
  email: string,
): Promise<Response> {
  const code = await commit(parts, async (tx, span) => {
    const account = await findAccount(tx, email);
    if (!account) return { value: nobody(`there is no account ${email}`) };
    const { redirect_uri } = target;
    const binding = { account_id: account.id, client_id: target.client.id, redirect_uri, ...asked };
    return { value: await addCode(tx, binding, span) };
  });
  return redirect(parts, request, target, { code });
}

function nobody(reason: string): OAuthRefusal {
  return new OAuthRefusal("server_error", `Nobody can sign in: ${reason}`);
}

/** Takes the answer of a person. */
async function answerForm(parts: OAuthParts, request: Request): Promise<Response> {
  checkOrigin(parts, request);
  const given = await readForm(request);
  const id = given.required("form");
  const cookies = request.headers.get("Cookie");
  const { form, answer } = await commit(parts, async (tx, span) => {
    const form = await takeForm(tx, id, cookies, span.now);
    return { value: { form, answer: await decide(tx, form, given, span) } };
  });
  const target = { redirect_uri: form.redirect_uri, state: form.state ?? undefined };
  const response = redirect(parts, request, target, answer);
  response.headers.set("Set-Cookie", formCookie(id, undefined, cookieOptions(parts, request)));
  return response;
}

/** What the client is told of the decision. */
async function decide(
  tx: Tx,
  form: Row<"consent_forms">,
  given: Parameters,
  span: Span,
): Promise<Record<string, string>> {
  const decision = given.required("decision");
  if (decision === "deny") {
    return { error: "access_denied", error_description: "The request was denied" };
  }
  const account = (await listAccounts(tx)).find(({ id }) => id === given.optional("account"));
  if (decision !== "allow" || !account) {
    throw unusableForm("Your choice is missing or unclear.");
  }
  return { code: await addCode(tx, { ...form, account_id: account.id }, span) };
}

/** Refuses a request that no person's own window makes, such as that of an image of another site. */
function checkNavigation(request: Request): void {
  const mode = request.headers.get("Sec-Fetch-Mode") ?? "navigate";
  const destination = request.headers.get("Sec-Fetch-Dest") ?? "document";
  if (mode === "navigate" && destination === "document") return;
  throw new PageRefusal({
    title: "This sign-in link is not valid",
    message: "It was loaded inside another page. Open it in its own window.",
  }, { status: 403 });
}

/** A form that another page sent, or that something other than a browser did, is refused. */
function checkOrigin(parts: OAuthParts, request: Request): void {
  const origin = request.headers.get("Origin");
  const site = request.headers.get("Sec-Fetch-Site") ?? "same-origin";
  const own = [issuerOf(parts, request), new URL(request.url).origin];
  if (origin !== null && own.includes(origin) && site === "same-origin") return;
  throw unusableForm("The form was sent from a different page.", { status: 403 });
}

function cookieOptions(parts: OAuthParts, request: Request) {
  return {
    secure: issuerOf(parts, request).startsWith("https:"),
    lifetime: parts.lifetimes.form,
  };
}

/** Sends the browser to the client, with the answer, its state and who answers: RFC 9207. */
function redirect(
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
  return new Response(null, {
    status: 303,
    headers: {
      Location: withAnswer(redirect_uri, whole),
      "Cache-Control": "no-store",
      "Referrer-Policy": "no-referrer",
    },
  });
}
