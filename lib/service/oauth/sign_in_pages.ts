/**
 * The pages on which a person signs in or sets a password.
 *
 * @module
 */

import { html, type Markup } from "../../html.ts";
import { HERE, page } from "./pages.ts";
import { PASSWORD_LENGTH } from "./password_rules.ts";

/** What the page that asks for a password shows. */
interface SignInView {
  /** The one-time id of the form. */
  form: string;
  /** The e-mail address that was typed before. */
  email?: string;
  /** What was wrong with that try. */
  problem?: string;
  /** HTTP status. Default: 200. */
  status?: number;
}

/** The page that asks who is there. */
export function signInPage(view: SignInView, headers: Record<string, string> = {}): Response {
  const { form, email = "", problem, status = 200 } = view;
  const body = html`
    <h1>Sign in</h1>
    ${problemOf(problem)}
    <form method="post" action="/oauth2/authorize/sign-in">
      <input type="hidden" name="form" value="${form}">
      <fieldset>
        <label class="field"><span>E-mail address</span>
          <input type="email" name="email" value="${email}" required maxlength="255"
            autocomplete="username"${described(problem)}></label>
        <label class="field"><span>Password</span>
          <input type="password" name="password" required
            autocomplete="current-password"${described(problem)}></label>
      </fieldset>
      <div class="buttons one"><button class="main">Sign in</button></div>
    </form>
    <p class="soft">If you have no password, or forgot it, ask the administrator of this service for a
    link.</p>
  `;
  const title = problem === undefined ? "Sign in" : "Cannot sign in";
  return page({ status, title, body, headers, target: HERE });
}

/** The page that leads to a provider. */
export function elsewherePage(address: string, headers: Record<string, string>): Response {
  const { host } = new URL(address);
  const body = html`
    <h1>Use another account</h1>
    <p>You sign in at <b>${host}</b>. Choose another account there.</p>
    <p><a class="main" href="${address}">Continue to ${host}</a></p>
  `;
  return page({ status: 200, title: "Use another account", body, headers });
}

/** What the page that sets a password shows. */
interface PasswordView {
  /** The secret of the link. */
  token: string;
  /** Whose password it is. */
  email: string;
  /** What was wrong with the last try. */
  problem?: string | undefined;
}

/** The page that sets a password. */
export function passwordPage({ token, email, problem }: PasswordView): Response {
  const least = String(PASSWORD_LENGTH.least);
  const body = html`
    <h1>Set your password</h1>
    <p>This is the password of <b>${email}</b> at this service.</p>
    ${problemOf(problem)}
    <form method="post" action="/oauth2/password">
      <input type="hidden" name="link" value="${token}">
      <input type="email" name="email" value="${email}" autocomplete="username" hidden readonly>
      <fieldset>
        <label class="field"><span>New password</span>
          <input type="password" name="password" required minlength="${least}"
            autocomplete="new-password"${described(problem)}>
          <small>At least ${least} characters. A few unrelated words make a good password.</small></label>
        <label class="field"><span>The same password again</span>
          <input type="password" name="again" required
            autocomplete="new-password"${described(problem)}></label>
      </fieldset>
      <div class="buttons one"><button class="main">Set password</button></div>
    </form>
    <p class="soft">A new password ends all sign-ins of this account.</p>
  `;
  const status = problem === undefined ? 200 : 400;
  const title = problem === undefined ? "Set your password" : "Cannot set the password";
  return page({ status, title, body, headers: {}, target: HERE });
}

/** The page that says that a password is set. */
export function passwordSetPage(email: string): Response {
  const body = html`
    <h1>Your password is set</h1>
    <p>You can sign in as <b>${email}</b> now.</p>
    <p class="soft">To sign in on a terminal, run <code>cli auth login</code>. You can close this
    page.</p>
  `;
  return page({ status: 200, title: "Your password is set", body, headers: {} });
}

/** What went wrong, read out at once by a screen reader. */
function problemOf(problem: string | undefined): Markup {
  return problem === undefined
    ? html``
    : html`<p class="problem" id="problem" role="alert">${problem}</p>`;
}

/** Ties a field to what went wrong. */
function described(problem: string | undefined): Markup {
  return { markup: problem === undefined ? "" : ' aria-describedby="problem" aria-invalid="true"' };
}
