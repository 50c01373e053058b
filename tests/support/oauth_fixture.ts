/**
 * A service to sign in to, with a clock that the test moves.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Answerer } from "../../lib/service/http/mount.ts";
import { createOpenServer } from "../../lib/service/http/open_server.ts";
import {
  addAccount,
  createOAuth,
  type OAuth,
  type OAuthOptions,
} from "../../lib/service/oauth/mod.ts";
import type { Store } from "../../lib/service/store/mod.ts";
import { openForTests } from "./engine.ts";

/** The address that requests are sent to. */
export const ORIGIN = "http://127.0.0.1:4010";

/** The seeded owner's e-mail address. */
export const OWNER = "owner@example.com";

/** A service that signs people in. */
export interface SignIn extends AsyncDisposable {
  /** What is tested. */
  oauth: OAuth;
  /** Answers a request, which came from an address. */
  handle: Answerer;
  /** Its database. */
  store: Store;
  /** Wall time. */
  now(): number;
  /** Moves wall time ahead. */
  pass(milliseconds: number): void;
  /** Sends a form. */
  post(path: string, form: Record<string, string> | string, init?: RequestInit): Promise<Answer>;
  /** Sends a request. */
  send(path: string, init?: RequestInit): Promise<Response>;
}

/** A response whose JSON was read. */
export interface Answer {
  /** HTTP status. */
  status: number;
  /** Headers. */
  headers: Headers;
  /** The JSON, an empty object for an empty body. */
  json: Record<string, unknown>;
}

/** Starts one with an owner, in memory unless a file is named. */
export async function startSignIn(
  options: Partial<OAuthOptions> & { file?: string } = {},
): Promise<SignIn> {
  const { file, ...rest } = options;
  let now = 1_700_000_000_000;
  const store = await openForTests({ file: file ?? ":memory:" });
  await store.write((tx) => addAccount(tx, { email: OWNER, name: "Olivia Owner", now }));
  const oauth = createOAuth({ store, clock: () => now, ...rest });
  const handle = createOpenServer(await oauth.routes(), {
    report(error) {
      throw error;
    },
  });
  const send = (path: string, init?: RequestInit): Promise<Response> =>
    handle(new Request(new URL(path, ORIGIN), init));
  return {
    oauth,
    handle,
    store,
    send,
    now: () => now,
    pass: (milliseconds) => void (now += milliseconds),
    post: async (path, form, init) => {
      const body = new URLSearchParams(form);
      const response = await send(path, { method: "POST", body, ...init });
      const text = await response.text();
      const json: unknown = JSON.parse(text === "" ? "{}" : text);
      assert.ok(isObject(json));
      return { status: response.status, headers: response.headers, json };
    },
    [Symbol.asyncDispose]: () => store.close(),
  };
}

/** A verifier and its challenge. */
export const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
/** The S256 challenge of `VERIFIER`: the example of RFC 7636, appendix B. */
export const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/** Where the built-in client listens. */
export const REDIRECT = "http://127.0.0.1:53682/callback";

/** A valid authorization request, with some parameters changed; undefined leaves one out. */
export function authorizePath(changes: Record<string, string | undefined> = {}): string {
  const parameters: Record<string, string | undefined> = {
    client_id: "svc-cli",
    response_type: "code",
    redirect_uri: REDIRECT,
    scope: "*:*:read_write",
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
    state: "a state & more",
    ...changes,
  };
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) search.set(name, value);
  }
  return `/oauth2/authorize?${search}`;
}

/** A page that asks for consent, as a browser has it. */
export interface OpenPage {
  /** Where it is. */
  origin: string;
  /** The one-time id in the form. */
  form: string;
  /** The accounts that can be chosen. */
  accounts: string[];
  /** The cookie that came with it, as it is sent back. */
  cookie: string;
  /** Its HTML. */
  html: string;
}

/** Opens the page that asks for consent. */
export async function openPage(signIn: SignIn, path = authorizePath()): Promise<OpenPage> {
  const response = await signIn.send(path);
  const html = await response.text();
  assert.equal(response.status, 200, html);
  const values = (name: string) =>
    [...html.matchAll(new RegExp(`name="${name}" value="([^"]*)"`, "g"))].map((m) => m[1] ?? "");
  const cookie = response.headers.get("Set-Cookie")?.split(";")[0];
  const { origin } = new URL(path, ORIGIN);
  const form = values("form")[0] ?? "";
  return { origin, form, accounts: values("account"), cookie: cookie ?? "", html };
}

/** Answers it as a browser does. */
export function answerPage(
  signIn: SignIn,
  page: OpenPage,
  form: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<Response> {
  const fields = { form: page.form, account: page.accounts[0] ?? "", decision: "allow", ...form };
  const { origin, cookie } = page;
  return signIn.send(`${origin}/oauth2/authorize`, {
    method: "POST",
    headers: { Origin: origin, "Sec-Fetch-Site": "same-origin", Cookie: cookie, ...headers },
    body: new URLSearchParams(fields),
  });
}

/** Signs in and returns the authorization code. */
export async function obtainCode(signIn: SignIn, path = authorizePath()): Promise<string> {
  const response = await answerPage(signIn, await openPage(signIn, path));
  assert.equal(response.status, 303, await response.text());
  const code = new URL(response.headers.get("Location") ?? "").searchParams.get("code");
  assert.ok(code);
  return code;
}

/** The form that exchanges a code, with some parameters changed; undefined leaves one out. */
export function codeForm(
  code: string,
  changes: Record<string, string | undefined> = {},
): Record<string, string> {
  const form: Record<string, string | undefined> = {
    grant_type: "authorization_code",
    code,
    redirect_uri: REDIRECT,
    client_id: "svc-cli",
    code_verifier: VERIFIER,
    ...changes,
  };
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(form)) if (value !== undefined) given[name] = value;
  return given;
}

/** The form of a refresh by the built-in client. */
export function refreshForm(refresh_token: string): Record<string, string> {
  return { grant_type: "refresh_token", refresh_token, client_id: "svc-cli" };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
