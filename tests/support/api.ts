/**
 * The service without the client: raw requests and answers, for tests of the service itself.
 *
 * @module
 */

import { deepEqual, equal, match, ok } from "node:assert/strict";
import { addAccount } from "../../lib/service/oauth/mod.ts";
import { BASE_URL, type Desk } from "./harness.ts";

/** An answer's JSON, by the fields that tests look at. */
export interface Wire {
  /** The kind of object, `list` or `error`. */
  object: string;
  /** The object's id. */
  id: string;
  /** The name that code uses. */
  lookup_key: string;
  /** The type of an app, product or error. */
  type: string;
  /** An error. */
  message: string;
  /** `active` or `inactive`. */
  state: string;
  /** Whether an offering is the current one. */
  is_current: boolean;
  /** The items of a list. */
  items: Wire[];
  /** The next page of a list. */
  next_page: string | null;
  /** The address of a list. */
  url: string;
  /** Everything else. */
  [field: string]: unknown;
}

/** The answer. */
export interface Answer {
  /** HTTP status. */
  status: number;
  /** The headers. */
  headers: Headers;
  /** The JSON. */
  body: Wire;
}

/** How to talk to the service. Paths are below the project unless they start with `/v2`. */
export interface Api {
  /** Sends a request, with any result. */
  send(method: string, path: string, body?: unknown, headers?: HeadersInit): Promise<Answer>;
  /** Reads. */
  get(path: string): Promise<Wire>;
  /** Posts. */
  post(path: string, body?: unknown): Promise<Wire>;
  /** Deletes. */
  remove(path: string): Promise<Wire>;
  /** Sends a request that must be refused. */
  refused(expected: Expected, method: string, path: string, body?: unknown): Promise<Wire>;
}

/** An expected refusal. Without `param` the error body must not have one. */
export interface Expected {
  /** HTTP status. */
  status: number;
  /** The error type. */
  type: string;
  /** The offending parameter or field. */
  param?: string | undefined;
  /** The pattern of the message. */
  message?: RegExp | undefined;
}

/** The API in the demonstration project, signed in with these headers or as the owner. */
export function apiOf(desk: Desk, headers?: HeadersInit, projectId = desk.projectId): Api {
  const send = async (method: string, path: string, body?: unknown, more?: HeadersInit) => {
    const address = path.startsWith("/v2") ? path : `/v2/projects/${projectId}${path}`;
    const all = new Headers(headers);
    new Headers(more).forEach((value, name) => all.set(name, value));
    return await answerOf(await desk.send(method, address, body, all));
  };
  const done = async (method: string, path: string, body?: unknown) => {
    const answer = await send(method, path, body);
    ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.body.message}`);
    return answer.body;
  };
  return {
    send,
    get: (path) => done("GET", path),
    post: (path, body) => done("POST", path, body),
    remove: (path) => done("DELETE", path),
    async refused(expected, method, path, body) {
      const answer = await send(method, path, body);
      checkRefusal(answer, expected, `${method} ${path} ${JSON.stringify(body) ?? ""}`);
      return answer.body;
    },
  };
}

/** Reads an answer. */
export async function answerOf(response: Response): Promise<Answer> {
  const { status, headers } = response;
  equal(headers.get("Content-Type"), "application/json");
  return { status, headers, body: await response.json() };
}

/** Checks an error body: these fields, and no others. */
export function checkRefusal(answer: Answer, expected: Expected, what: string): void {
  const { status, headers, body } = answer;
  const { param, type, message = /./ } = expected;
  const label = `${what}: ${status} ${body.message}`;
  equal(status, expected.status, label);
  equal(body.object, "error", label);
  equal(body.type, type, label);
  equal(body.param, param, label);
  match(body.message, message);
  match(headers.get("X-Request-Id") ?? "", /^req[0-9a-f]{16}$/);
  const known = ["object", "type", "message", "retryable", "param", "backoff_ms"];
  deepEqual(Object.keys(body).filter((key) => !known.includes(key)), [
    ..."referenced_object_ids" in body ? ["referenced_object_ids"] : [],
    ..."missing_scopes" in body ? ["missing_scopes"] : [],
  ]);
  const retryable = status === 423 || status === 429 || status >= 500 || type === "store_error";
  equal(body.retryable, retryable, label);
}

/** The refusal of a field. */
export function badField(param: string, message?: RegExp): Expected {
  return { status: 400, type: "parameter_error", param, message };
}

/** The refusal for want of an object. */
export function noSuch(param?: string): Expected {
  return { status: 404, type: "resource_missing", param };
}

/** The refusal of a name that is taken. */
export function alreadyThere(param: string): Expected {
  return { status: 409, type: "resource_already_exists", param };
}

/** The refusal by a rule. */
export function againstRule(message: RegExp, param?: string): Expected {
  return { status: 422, type: "unprocessable_entity_error", message, param };
}

/** Signs in with other permissions, or as another account, which is added if missing. */
export async function signIn(
  desk: Desk,
  options: { scope?: string; email?: string },
): Promise<{ Authorization: string }> {
  const { service } = desk;
  const { email } = options;
  if (email !== undefined) {
    await service.store.write((tx) => addAccount(tx, { email, name: "Someone Else", now: 1 }));
  }
  const { access_token } = await service.oauth.issueToken({
    accountEmail: email,
    scope: options.scope,
  });
  return { Authorization: `Bearer ${access_token}` };
}

/** Sends a request as it is, without a credential and past the checks of the harness. */
export function sendRaw(desk: Desk, path: string, init?: RequestInit): Promise<Response> {
  return desk.service.fetch(new Request(BASE_URL + path, init));
}
