/**
 * Ids, tokens and their hashes.
 *
 * @module
 */

// Loaded with the first hash: it takes 40 ms, which a start need not wait for.
import defer * as nodeCrypto from "node:crypto";
import { idSource } from "./random.ts";

/**
 * The id prefix of each kind of object, and the number of digits after it. Kinds with many objects
 * have more digits, so that ids stay unique.
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

/** A kind of object with generated ids. */
type IdKind = keyof typeof SHAPES;

/**
 * Kinds with a row in almost every change. Their ids ascend within a process, so a new row goes to
 * the end of its index and a commit writes fewer pages.
 */
const ASCENDING: ReadonlySet<IdKind> = new Set<IdKind>(["audit_log", "delivery"]);

/** Generates an id: the kind's prefix and lower-case hexadecimal digits. */
export function newId(kind: IdKind): string {
  const [prefix, digits] = SHAPES[kind];
  return prefix + (ASCENDING.has(kind) ? nextInSeries() : randomDigits(digits));
}

/** So many random lower-case hexadecimal digits. */
export function randomDigits(count: number): string {
  return idSource().digits(count);
}

/** 16 digits: those of the series, then a number. After the last number a new series starts. */
function nextInSeries(): string {
  const source = idSource();
  if (!source.series || source.series.last === 0xff_ff_ff) {
    source.series = { start: source.digits(10), last: -1 };
  }
  source.series.last++;
  return source.series.start + source.series.last.toString(16).padStart(6, "0");
}

/**
 * Generates the id of a request: digits of the process, then a number. It is not secret, and costs
 * nothing.
 */
export function newRequestId(): string {
  const source = idSource();
  source.requests ??= { start: `req${source.digits(8)}`, last: 0 };
  source.requests.last++;
  return source.requests.start + source.requests.last.toString(16).padStart(8, "0");
}

/** The prefixes of tokens: access, refresh, and the local administrator. */
type TokenPrefix = "atk_" | "rtk_" | "adm_";

/** Generates a token of 256 bits. */
export function newToken(prefix: TokenPrefix): string {
  return prefix + randomText(32);
}

/** So many random bytes as base64url. */
export function randomText(bytes: number): string {
  const random = crypto.getRandomValues(new Uint8Array(bytes));
  return random.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** The SHA-256 of a text, in lower-case hexadecimal digits. */
export function sha256Hex(text: string): string {
  return nodeCrypto.createHash("sha256").update(text, "utf8").digest("hex");
}
