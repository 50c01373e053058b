/**
 * The authorization endpoint: GET shows the page that asks, POST takes its answer.
 *
 * @module
 */

import type { OpenRoute } from "../http/open_server.ts";
import type { Tx } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";
import { findAccount, listAccounts } from "./accounts.ts";
import { type Asked, findTarget, readAsked, type Target } from "./authorization_request.ts";
import { addCode } from "./codes.ts";
import { addForm, matterOf, takeForm } from "./consent_forms.ts";
import { checkValues, type Parameters, readForm } from "./form.ts";
import { consentPage } from "./pages.ts";
import { commit, type OAuthParts } from "./parts.ts";
import { askWho } from "./sign_in_endpoint.ts";
import { OAuthRefusal, unusableForm } from "./refusal.ts";
import type { Span } from "./tokens.ts";
import {
  checkNavigation,
  checkOrigin,
  cookieOf,
  noCookie,
  redirectToClient,
  refuseWithPage,
  shownForm,
} from "./visits.ts";

const PATH = "/oauth2/authorize";

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

/** Answers a client's request: with the page, or by redirecting with an error. */
async function answerRequest(
  parts: OAuthParts,
  request: Request,
  sender: string,
): Promise<Response> {
  checkNavigation(request);
  const { searchParams } = new URL(request.url);
  // What else is wrong is told to the client, once it is known.
  checkValues(searchParams, ["client_id", "redirect_uri"]);
  const target = await parts.store.read((tx) => findTarget(tx, searchParams));
  try {
    const asked = { ...readAsked(searchParams), sender };
    if (parts.autoApprove !== undefined && parts.way.kind === "open") {
      return await allowUnasked(parts, request, target, asked, parts.autoApprove);
    }
    return parts.way.kind === "open"
      ? await askForConsent(parts, request, target, asked)
      : await askWho(parts, request, matterOf(target, asked));
  } catch (error) {
    if (!(error instanceof OAuthRefusal)) throw error;
    const answer = { error: error.code, error_description: error.message };
    return redirectToClient(parts, request, target, answer);
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
    return { value: { accounts, form: await addForm(tx, matterOf(target, asked), span) } };
  });
  const { client, redirect_uri } = target;
  const view = { client: client.name, scope: asked.scope, redirect_uri, accounts, form: form.id };
  return consentPage(view, { "Set-Cookie": cookieOf(parts, request, form) });
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
  return redirectToClient(parts, request, target, { code });
}

function nobody(reason: string): OAuthRefusal {
  return new OAuthRefusal("server_error", `Nobody can sign in: ${reason}`);
}

/** Takes the answer of a person. */
async function answerForm(parts: OAuthParts, request: Request): Promise<Response> {
  checkOrigin(parts, request);
  const given = await readForm(request);
  const id = given.required("form");
  const shown = shownForm(parts, request, id);
  const { form, answer } = await commit(parts, async (tx, span) => {
    const form = await takeForm(tx, shown, span.now);
    return { value: { form, answer: await decide(parts, tx, form, given, span) } };
  });
  const target = { redirect_uri: form.redirect_uri, state: form.state ?? undefined };
  const response = redirectToClient(parts, request, target, answer);
  response.headers.set("Set-Cookie", noCookie(parts, request, id));
  return response;
}

/** What the client is told of the decision. */
async function decide(
  parts: OAuthParts,
  tx: Tx,
  form: Row<"consent_forms">,
  given: Parameters,
  span: Span,
): Promise<Record<string, string>> {
  const decision = given.required("decision");
  if (decision === "deny") {
    return { error: "access_denied", error_description: "The request was denied" };
  }
  const chosen = given.optional("account");
  // Where people sign in, who they are is a fact of the form, not a field in it.
  const isFree = parts.way.kind === "open" && form.account_id === null;
  const account = (await listAccounts(tx)).find(({ id }) =>
    id === chosen && (isFree || id === form.account_id)
  );
  if (decision !== "allow" || !account) {
    throw unusableForm("Your choice is missing or unclear.");
  }
  return { code: await addCode(tx, { ...form, account_id: account.id }, span) };
}
