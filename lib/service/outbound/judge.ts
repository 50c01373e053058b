/**
 * What the guard lets pass: URLs by their text, and the addresses that their names lead to.
 *
 * @module
 */

import { type AddressUse, isAddress, useOf } from "./addresses.ts";

/**
 * Where webhooks may go: to the Internet only; to this machine besides; to this machine and private
 * networks besides. Only local addresses may do without HTTPS or with a certificate that proves
 * nothing.
 */
export type TargetPolicy = "public" | "loopback" | "private";

/** A target that cannot be used. The message says why, after "the URL". */
export class TargetError extends Error {
  /** Whether the guard forbids it, or nobody answers there. */
  readonly kind: "forbidden" | "unreachable";

  /** Builds the error from its kind and what is wrong. */
  constructor(kind: "forbidden" | "unreachable", message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "TargetError";
    this.kind = kind;
  }
}

/** The longest URL, in characters. */
export const LONGEST_URL = 5000;

/** Names that lead nowhere, or only where they are used (RFC 2606, 6761, 6762, 8375, 9476). */
const RESERVED_NAMES = [
  "alt",
  "arpa",
  "example",
  "example.com",
  "example.net",
  "example.org",
  "internal",
  "invalid",
  "local",
  "localhost",
  "onion",
  "test",
];

/** What a policy allows besides the Internet. */
const LOCAL: Readonly<Record<TargetPolicy, { uses: AddressUse[]; names: string[] }>> = {
  public: { uses: [], names: [] },
  loopback: { uses: ["loopback"], names: ["localhost"] },
  private: {
    uses: ["loopback", "private"],
    names: ["localhost", "local", "internal", "home.arpa"],
  },
};

/** Judges a URL by its text alone. */
export function checkUrl(text: string, policy: TargetPolicy): URL {
  if (text.length > LONGEST_URL) throw forbidden(`must have at most ${LONGEST_URL} characters`);
  // The parser would drop or turn these, and the URL would not be what it looks like.
  if (/[\s\p{C}\\]/u.test(text)) throw forbidden("must not contain spaces or backslashes");
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null;
  if (!url || (policy === "public" && url.protocol !== "https:")) {
    const local = policy === "public" ? "" : ", or with http:// for a local address";
    throw forbidden(`must begin with https://${local}`);
  }
  if (url.username || url.password) throw forbidden("must not contain a user name or password");
  if (url.port === "0") throw forbidden("must not have the port 0");
  const host = hostOf(url);
  if (isAddress(host)) checkAddress(host, url, policy);
  else checkName(host, policy);
  return url;
}

/** The name or address in a URL, in its plain form. The parser has undone all other notations. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
}

/** Refuses a name that is reserved, or that the Internet cannot know. */
function checkName(name: string, policy: TargetPolicy): void {
  const labels = name.split(".");
  const isLabel = (label: string) => /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/.test(label);
  if (name.length > 253 || !labels.every(isLabel)) throw forbidden("must name a host");
  const isIn = (names: readonly string[]) =>
    names.some((one) => name === one || name.endsWith(`.${one}`));
  if (isIn(LOCAL[policy].names)) return;
  if (isIn(RESERVED_NAMES)) throw forbidden(`must not use the reserved host ${name}`);
  if (labels.length === 1 && policy !== "private") {
    throw forbidden("must have a full domain name");
  }
}

/** Refuses an address that the policy does not allow, and plain HTTP to one that is not local. */
export function checkAddress(address: string, url: URL, policy: TargetPolicy): void {
  if (isLocal(address, policy)) return;
  // The address is not told: it may be one that only our resolver knows.
  if (useOf(address) !== "public") {
    throw forbidden("must not resolve to a local or reserved address");
  }
  if (url.protocol !== "https:") {
    throw forbidden("must begin with https:// unless the address is local");
  }
}

/** Whether an address is one that the policy allows besides public ones. */
export function isLocal(address: string, policy: TargetPolicy): boolean {
  return LOCAL[policy].uses.includes(useOf(address));
}

function forbidden(message: string): TargetError {
  return new TargetError("forbidden", message);
}
