/**
 * The pages that a person sees while signing in.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { Row } from "../store/tables.ts";
import { html, type Markup } from "../../html.ts";
import { wholePage } from "../../page_look.ts";
import type { PageRefusal } from "./refusal.ts";
import { describeScope, type Permission } from "./scope_words.ts";
import { STYLE } from "./style.ts";

/** What the page that asks for consent shows. */
interface ConsentView {
  /** The client's name. */
  client: string;
  /** What it asks for, space-separated. */
  scope: string;
  /** Where the browser goes afterwards. */
  redirect_uri: string;
  /** Who may sign in; the first is chosen beforehand. */
  accounts: readonly Row<"accounts">[];
  /** The one-time id of the form. */
  form: string;
  /** Whether the person has signed in, and may let somebody else do that instead. */
  again?: boolean;
}

/** The page that asks for consent. */
export function consentPage(view: ConsentView, headers: Record<string, string>): Response {
  const permissions = describeScope(view.scope).map(permissionItem);
  const body = html`
    <h1>Allow “${view.client}” to act for you?</h1>
    <p>In each of your projects, it will be able to:</p>
    <section>
      <ul>${permissions}</ul>
    </section>
    <form method="post" action="/oauth2/authorize" autocomplete="off">
      <input type="hidden" name="form" value="${view.form}">
      <fieldset>${accountChoice(view.accounts)}</fieldset>
      <div class="buttons">
        <button class="main" name="decision" value="allow">Allow</button>
        <button name="decision" value="deny">Deny</button>
      </div>
    </form>
    ${view.again ? otherAccount(view.form) : ""}
    <p class="soft">After your choice you continue to ${targetOf(view.redirect_uri)}.
    Allow this only if you started it yourself just now.</p>
  `;
  return page({ status: 200, title: "Allow access?", body, headers, target: view.redirect_uri });
}

function otherAccount(form: string): Markup {
  return html`
    <form method="post" action="/oauth2/authorize/again">
      <input type="hidden" name="form" value="${form}">
      <button class="link">Use another account</button>
    </form>
  `;
}

/** The page that says why there is nothing to consent to. */
export function refusalPage({ view, status, headers }: PageRefusal): Response {
  const value = view.value === undefined ? "" : html`<code class="block">${cut(view.value)}</code>`;
  const body = html`
    <h1>${view.title}</h1>
    <p>${view.message}</p>
    ${value}
    <p class="soft">${view.next ?? START_AGAIN}</p>
  `;
  return page({ status, title: view.title, body, headers });
}

const START_AGAIN =
  "No access was granted. Return to the program that sent you here, and start again.";

function permissionItem({ area, change, see, everything }: Permission): Markup {
  const all = { change: "See, change and delete everything", see: "See everything" };
  if (everything) return html`<li><strong>${area}</strong><br><span>${all[everything]}</span></li>`;
  return html`<li><strong>${area}</strong>
${permissionLine("See, change and delete", change)}${permissionLine("See", see)}</li>`;
}

function permissionLine(verb: string, things: readonly string[]): Markup {
  return things.length === 0 ? html`` : html`<br><span><b>${verb}:</b> ${things.join(", ")}</span>`;
}

function accountChoice(accounts: ConsentView["accounts"]): Markup {
  const [first, ...others] = accounts;
  if (!first) return html``;
  if (others.length === 0) {
    return html`<legend>Your account</legend>
<input type="hidden" name="account" value="${first.id}"><div class="who">${nameOf(first)}</div>`;
  }
  return html`<legend>Choose your account</legend>
${accounts.map((account) => accountRadio(account, account === first))}`;
}

function accountRadio(account: Row<"accounts">, isChosen: boolean): Markup {
  const checked: Markup = { markup: isChosen ? " checked" : "" };
  return html`
    <label><input type="radio" name="account" value="${account.id}" required${checked}>
    ${nameOf(account)}</label>
  `;
}

function nameOf({ name, email }: Row<"accounts">): Markup {
  return name === null
    ? html`<span><strong>${email}</strong></span>`
    : html`<span><strong>${name}</strong><br><small>${email}</small></span>`;
}

/** Where the browser goes, for people. */
function targetOf(uri: string): Markup {
  const { protocol, host, hostname } = new URL(uri);
  if (hostname === "127.0.0.1" || hostname === "[::1]") {
    return html`<b>${host}</b>, a program on this computer`;
  }
  return protocol === "https:"
    ? html`<b>${host}</b>`
    : html`the app <b>${protocol.slice(0, -1)}</b>`;
}

/** A value from a request, short enough to be looked at. */
function cut(value: string): string {
  const characters = [...value];
  return characters.length <= 200 ? value : characters.slice(0, 200).join("") + "…";
}

/** What every page has in common. */
interface Page {
  /** HTTP status. */
  status: number;
  /** The window's title. */
  title: string;
  /** What is on the card. */
  body: Markup;
  /** Further headers. */
  headers: Readonly<Record<string, string>>;
  /** Where its form may end up: here, or also at this address. Without it there is no form. */
  target?: string;
}

/** The target of a form that leads nowhere else. */
export const HERE = "";

/**
 * Keeps a form from being sent twice by a double click: the browser would drop the answer to the first
 * submission, and with it the code for the client. Without scripts the page works as well.
 */
const SUBMIT_ONCE = 'addEventListener("submit", (event) => {' +
  "if (event.timeStamp - event.target.sentAt < 3000) event.preventDefault();" +
  "else event.target.sentAt = event.timeStamp;" +
  "});";

/** Builds a page. */
export function page({ status, title, body, headers, target }: Page): Response {
  const { markup } = wholePage({
    title,
    style: STYLE,
    main: body,
    ...target !== undefined && { end: html`<script>${{ markup: SUBMIT_ONCE }}</script>` },
  });
  return new Response(markup, {
    status,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": policyFor(target),
      "Cache-Control": "no-store",
      "X-Frame-Options": "DENY",
      "X-Content-Type-Options": "nosniff",
      // Not no-referrer: with that, browsers hide the origin of the form from us as well.
      "Referrer-Policy": "same-origin",
      "Cross-Origin-Opener-Policy": "same-origin",
      "Cross-Origin-Resource-Policy": "same-origin",
      ...headers,
    },
  });
}

/** Nothing but our style sheet, and our form with its script where there is one. */
function policyFor(target: string | undefined): string {
  const form = target === undefined
    ? "form-action 'none'"
    : `script-src ${hashOf(SUBMIT_ONCE)}; form-action 'self' ${formTarget(target)}`.trimEnd();
  return `default-src 'none'; style-src ${hashOf(STYLE)}; ${form}; ` +
    "base-uri 'none'; frame-ancestors 'none'";
}

/** What a policy calls a style sheet or script in the page. */
function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/** Where the answer to the form redirects to: Chromium holds `form-action` against that as well. */
function formTarget(uri: string): string {
  if (uri === HERE) return "";
  const { protocol, hostname, origin } = new URL(uri);
  // A policy cannot name an IPv6 address, nor the host of an app's own scheme.
  return protocol === "https:" || (protocol === "http:" && !hostname.startsWith("["))
    ? origin
    : protocol;
}
