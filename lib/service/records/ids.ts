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

/**
 * Kinds of which a script may create many. Ids that follow each other share their first digits, so
 * that their rows share pages of an index, and a commit writes a few pages in place of one for each.
 * From one id the others can be computed. So purchases and subscriptions have random ids: an app sees
 * those of its user, and simulated transactions are named after them.
 */
const NEAR: ReadonlySet<IdKind> = new Set<IdKind>([
  "product",
  "entitlement",
  "offering",
  "package",
  "paywall",
]);

/** Generates an id: the kind's prefix and lower-case hexadecimal digits. */
export function newId(kind: IdKind): string {
  const [prefix, digits] = SHAPES[kind];
  if (ASCENDING.has(kind)) return prefix + nextInSeries();
  return prefix + (NEAR.has(kind) ? nearDigits(digits) : randomDigits(digits));
}

/** So many random lower-case hexadecimal digits. */
export function randomDigits(count: number): string {
  return idSource().digits(count);
}

/** So many ids share their first digits. */
const LARGEST_CLUSTER = 256;

/** The number of last digits in which the ids of a cluster differ, and of the values that they have. */
const OWN_DIGITS = 6;
const OWN_VALUES = 16 ** OWN_DIGITS;

/**
 * From one id of a cluster to the next. It is odd, so that no value comes twice, and the golden section
 * of all values, so that ids which follow each other look different.
 */
const OWN_STEP = 0x9e3779;

/**
 * Digits of a cluster: it shares the first ones, and has each value of the last ones at most once. Two
 * ids of different clusters are equal as seldom as random ones.
 */
function nearDigits(count: number): string {
  const source = idSource();
  if (!source.cluster || source.cluster.made === LARGEST_CLUSTER) {
    source.cluster = {
      start: source.digits(10),
      next: parseInt(source.digits(OWN_DIGITS), 16),
      made: 0,
    };
  }
  const { cluster } = source;
  const own = cluster.next.toString(16).padStart(OWN_DIGITS, "0");
  cluster.next = (cluster.next + OWN_STEP) % OWN_VALUES;
  cluster.made++;
  return cluster.start.slice(0, count - OWN_DIGITS) + own;
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
