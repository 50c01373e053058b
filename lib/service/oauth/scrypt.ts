/**
 * Passwords as hashes. scrypt takes memory and time on purpose, so only a few run at once, and only
 * so many wait: a flood of sign-ins cannot take the machine.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { Refusal } from "../contract/errors.ts";

/** What one hash costs. */
export interface ScryptCost {
  /** Rounds, a power of two. */
  n: number;
  /** The size of a block, in units of 128 bytes. */
  r: number;
  /** How often all of that. */
  p: number;
}

/** The cost of new hashes: 32 MiB each, and about a quarter of a second. */
export const SCRYPT: ScryptCost = { n: 32_768, r: 8, p: 3 };

/** How many hashes are worked out at a time, and how many may wait for that. */
export const MOST_HASHES = { running: 2, waiting: 32 };

/** Bytes of a salt, and of a hash. */
const SALT = 16;
const KEY = 32;

/** Makes and checks hashes of passwords. */
export interface Passwords {
  /**
   * Hashes a password, with a salt of its own. The text holds the parameters too.
   *
   * @throws {Refusal} 503 when too many wait.
   */
  hash(password: string): Promise<string>;
  /**
   * Whether a password has this hash. Without a hash it takes as long, and the answer is no.
   *
   * @throws {Refusal} 503 when too many wait.
   */
  matches(password: string, hash: string | undefined): Promise<boolean>;
}

/** Makes what hashes. */
export function createPasswords(cost: ScryptCost = SCRYPT): Passwords {
  const inTurn = createTurns();
  // The salt of nobody's password, for those who have none.
  const nobody = randomBytes(SALT);
  return {
    async hash(password) {
      const salt = randomBytes(SALT);
      const key = await inTurn(() => derive(password, salt, cost));
      const { n, r, p } = cost;
      return ["scrypt", n, r, p, salt.toString("base64url"), key.toString("base64url")].join("$");
    },
    async matches(password, hash) {
      const known = hash === undefined ? undefined : read(hash);
      const { salt, key, ...itsCost } = known ?? { salt: nobody, key: Buffer.alloc(KEY), ...cost };
      const given = await inTurn(() => derive(password, salt, itsCost));
      return timingSafeEqual(given, key) && known !== undefined;
    },
  };
}

/** The parts of a stored hash. */
function read(hash: string): ScryptCost & { salt: Buffer; key: Buffer } {
  const [name, n, r, p, salt = "", key = ""] = hash.split("$");
  const parts = {
    ...{ n: Number(n), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, "base64url"),
    key: Buffer.from(key, "base64url"),
  };
  if (name === "scrypt" && parts.key.length === KEY) return parts;
  throw new TypeError("Cannot read a password's hash: it is not one of scrypt");
}

function derive(password: string, salt: Buffer, { n, r, p }: ScryptCost): Promise<Buffer> {
  // One password can be typed in several forms of Unicode.
  const text = password.normalize("NFKC");
  const options = { N: n, r, p, maxmem: 256 * n * r };
  return new Promise((resolve, reject) => {
    scrypt(text, salt, KEY, options, (error, key) => error ? reject(error) : resolve(key));
  });
}

/** Lets work run a few at a time, in order. */
function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= MOST_HASHES.running) {
      if (waiting.length >= MOST_HASHES.waiting) throw busy();
      // Whoever ends hands its place on.
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}

function busy(): Refusal {
  return new Refusal(503, "server_error", "Too many people are signing in at this moment", {
    headers: { "Retry-After": "5" },
  });
}
