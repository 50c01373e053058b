/**
 * The address to which a provider sends the browser back.
 *
 * @module
 */

import type { OpenRoute } from "../http/open_server.ts";
import { accountOf } from "./admission.ts";
import { takeForm } from "./consent_forms.ts";
import { commit, type OAuthParts } from "./parts.ts";
import { CALLBACK, type Provider } from "./provider.ts";
import { unusableForm } from "./refusal.ts";
import { admit, askSignedIn } from "./sign_in_endpoint.ts";
import { checkNavigation, noCookie, refuseWithPage, shownForm, visitOf } from "./visits.ts";

/** The route of the address. */
export function providerRoutes(parts: OAuthParts): OpenRoute[] {
  const { way } = parts;
  if (way.kind !== "oidc") return [];
  return [{
    method: "GET",
    path: CALLBACK,
    answer: ({ request }) => answerProvider(parts, way.provider, request),
    refuse: refuseWithPage,
  }];
}

/** Finds out who came back, and asks for consent. A state is good once, whatever comes of it. */
async function answerProvider(
  parts: OAuthParts,
  provider: Provider,
  request: Request,
): Promise<Response> {
  checkNavigation(request);
  const id = new URL(request.url).searchParams.get("state") ?? "";
  const shown = shownForm(parts, request, id);
  const before = await commit(parts, async (tx, { now }) => {
    const form = await takeForm(tx, shown, now);
    if (form.account_id !== null) throw unusableForm("Somebody has signed in with it already.");
    return { value: form };
  });
  const visit = visitOf(parts, request, { id, secret: shown.secret ?? "" });
  const person = await provider.personIn(visit, new URL(request.url));
  const signedIn = await commit(parts, async (tx, span) => {
    const account = await accountOf(tx, person, provider.admission, span.now);
    return { value: await admit(tx, before, account.id, span) };
  });
  const response = askSignedIn(parts, request, signedIn);
  response.headers.append("Set-Cookie", noCookie(parts, request, id));
  return response;
}
