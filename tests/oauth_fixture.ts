/**
 * A service to sign in to, with a clock that the test moves.
 *
 * @module
 */

import assert from "node:assert/strict";
import {
  addAccount,
  createOAuth,
  type OAuth,
  type OAuthOptions,
} from "../lib/service/oauth/mod.ts";
import { openStore, type Store } from "../lib/service/store/mod.ts";

/** The address that requests are sent to. */
export const ORIGIN = "http://127.0.0.1:4010";

/** The seeded owner's e-mail address. */
export const OWNER = "owner@example.com";

/** A service that signs people in. */
export interface SignIn extends AsyncDisposable {
  /** What is tested. */
  oauth: OAuth;
  /** Its database. */
  store: Store;
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
  const store = openStore({ file: file ?? ":memory:" });
  await store.write((tx) => addAccount(tx, { email: OWNER, name: "Olivia Owner", now }));
  const oauth = createOAuth({ store, clock: () => now, ...rest });
  const send = async (path: string, init?: RequestInit): Promise<Response> => {
    const response = await oauth.handle(new Request(new URL(path, ORIGIN), init));
    assert.ok(response, `nothing answers ${path}`);
    return response;
  };
  return {
    oauth,
    store,
    send,
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

/** The form of a refresh by the built-in client. */
export function refreshForm(refresh_token: string): Record<string, string> {
  return { grant_type: "refresh_token", refresh_token, client_id: "svc-cli" };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
