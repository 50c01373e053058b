/**
 * The key that successor tokens are derived with. A token's successor is a function of the token and
 * this key, so the service can give out the same successor twice and still keep nothing but hashes;
 * and nobody who lacks either can tell it.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import { keyedHash } from "../records/keyed_hash.ts";
import type { Tx } from "../store/mod.ts";

const SETTING = "token_key";

/** The key of this database, made up at its first use. */
export async function ensureServerKey(tx: Tx): Promise<string> {
  const known = await findKey(tx);
  if (known !== undefined) return known;
  const value = randomBytes(32).toString("base64url");
  await tx.insertInto("settings").values({ name: SETTING, value })
    .onConflict((conflict) => conflict.doNothing()).execute();
  return await findKey(tx) ?? value;
}

async function findKey(tx: Tx): Promise<string | undefined> {
  const row = await tx.selectFrom("settings").select("value").where("name", "=", SETTING)
    .executeTakeFirst();
  return row?.value;
}

/** The tokens that take the place of a refresh token. */
interface Successors {
  /** The new refresh token. */
  refresh: string;
  /** The access token that comes with it. */
  access: string;
}

/** Derives the successors of a refresh token. */
export function deriveSuccessors(key: string, token: string): Successors {
  return {
    refresh: "rtk_" + keyedHash(key, `refresh:${token}`),
    access: "atk_" + keyedHash(key, `access:${token}`),
  };
}
