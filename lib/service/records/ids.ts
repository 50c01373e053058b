/**
 * Ids, tokens and their hashes.
 *
 * @module
 */

import { createHash, randomBytes } from "node:crypto";

/**
 * The prefix of each kind of object's ids, and how many digits follow it: more for what there is
 * much of, so that no id is ever made up twice.
 */
const SHAPES = {
  project: ["proj", 8],
  app: ["app", 10],
  product: ["prod", 10],
  entitlement: ["entl", 10],
  offering: ["ofrng", 10],
  package: ["pkge", 10],
  paywall: ["pw", 16],
  subscription: ["sub", 10],
  purchase: ["purc", 10],
  audit_log: ["log", 16],
  collaborator: ["collab", 10],
  public_api_key: ["apikey", 10],
  webhook_integration: ["whintgr", 10],
  delivery: ["dlv", 16],
  account: ["acct", 10],
  grant: ["grant", 16],
} as const satisfies Record<string, readonly [prefix: string, digits: number]>;

/** A kind of object whose ids the service makes up. */
export type IdKind = keyof typeof SHAPES;

/** Makes up an id: the kind's prefix and lower-case hexadecimal digits. */
export function newId(kind: IdKind): string {
  const [prefix, digits] = SHAPES[kind];
  return prefix + randomBytes(digits / 2).toString("hex");
}

/** What the ids of this process's requests begin with. */
let requestPrefix: string | undefined;
let requests = 0;

/** Makes up the id of a request: digits of the process, then a number. It is no secret, but free. */
export function newRequestId(): string {
  requestPrefix ??= `req${randomBytes(4).toString("hex")}`;
  requests++;
  return requestPrefix + requests.toString(16).padStart(8, "0");
}

/** What a token is for: access, refresh, or the local administrator. */
export type TokenPrefix = "atk_" | "rtk_" | "adm_";

/** Makes up a token of 256 bits. */
export function newToken(prefix: TokenPrefix): string {
  return prefix + randomBytes(32).toString("base64url");
}

/** The SHA-256 of a text, in lower-case hexadecimal digits. */
export function sha256Hex(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}
