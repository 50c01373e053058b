/**
 * The admin secret of processes that share a database: all must have the same, or what an administrator
 * may do would depend on the process that answers. Each keeps a check of its secret in the database,
 * from which the secret cannot be computed.
 *
 * @module
 */

import { randomBytes, scrypt } from "node:crypto";
import { ConfigError } from "../../errors.ts";
import type { Others, Tx } from "../store/mod.ts";
import { secretsOf, type SharedStore } from "./admin_secret.ts";

/** How long the check of a process is kept after its start, if it is no longer alive. */
const KEEP_MS = 7 * 24 * 3_600_000;

/** What one try to find a secret out costs: 16 MiB and some 40 ms. */
const COST = { N: 16_384, r: 8, p: 1 };
const LENGTH = 32;

/** The secrets of a process. */
interface Secrets {
  /** The secret. */
  adminSecret: string;
  /** The one before it, while it is changed. */
  formerAdminSecret: string | undefined;
  /** The time, in milliseconds since 1970. */
  now: number;
}

/**
 * Keeps the check of this process's secret, and compares it with those of the others that are alive.
 *
 * @throws {ConfigError} when one of them has a secret that this process does not accept.
 */
export async function agreeOnSecret(
  store: SharedStore,
  { adminSecret, formerAdminSecret, now }: Secrets,
): Promise<void> {
  const { others } = store;
  if (!others) return;
  for (let salt = await saltOf(store);;) {
    const accepted = await Promise.all(
      secretsOf(adminSecret, formerAdminSecret).map((secret) => digestOf(secret, salt)),
    );
    const [digest = ""] = accepted;
    const { other, differs } = await store.write(async (tx) => {
      const checks = await checksOf(tx, others, now);
      const known = checks.at(0)?.salt;
      if (known !== undefined && known !== salt) return { other: known, differs: false };
      const differs = checks.some((one) => !accepted.includes(one.digest));
      if (!differs) {
        const own = { holder: others.holder, salt, digest, at: now };
        await tx.insertInto("secret_checks").values(own).execute();
      }
      return { differs };
    });
    if (differs) throw refusal(formerAdminSecret !== undefined);
    if (other === undefined) return;
    // Another process was the first at the same moment.
    salt = other;
  }
}

/** The salt that the processes use. A database without any gets one. */
async function saltOf(store: SharedStore): Promise<string> {
  const row = await store.read((tx) =>
    tx.selectFrom("secret_checks").select("salt").limit(1).executeTakeFirst()
  );
  return row?.salt ?? randomBytes(16).toString("hex");
}

/** The checks of the processes that are alive. Deletes those of processes that ended long ago. */
async function checksOf(
  tx: Tx,
  others: Pick<Others, "alive">,
  now: number,
): Promise<{ salt: string; digest: string }[]> {
  const rows = await tx.selectFrom("secret_checks").selectAll().execute();
  const alive = await others.alive(tx, rows.map(({ holder }) => holder));
  // One that has only lost its connection is still there in a moment.
  const old = rows.filter(({ holder, at }) => !alive.has(holder) && at < now - KEEP_MS);
  for (const { holder } of old) {
    await tx.deleteFrom("secret_checks").where("holder", "=", holder).execute();
  }
  return rows.filter(({ holder }) => alive.has(holder));
}

function digestOf(secret: string, salt: string): Promise<string> {
  return new Promise((resolve, reject) => {
    scrypt(secret, salt, LENGTH, COST, (error, key) => {
      if (error) reject(error);
      else resolve(key.toString("hex"));
    });
  });
}

function refusal(hasFormer: boolean): ConfigError {
  const message =
    "Cannot start the service: a process on the same database has another admin secret";
  const hint = hasFormer
    ? "Neither CLI_SERVICE_ADMIN_SECRET nor CLI_SERVICE_FORMER_ADMIN_SECRET is the secret of that " +
      "process. docs/postgresql.md shows how to change the secret."
    : "Set CLI_SERVICE_ADMIN_SECRET to the secret of the other processes. To change it, also set " +
      "CLI_SERVICE_FORMER_ADMIN_SECRET to the old one: docs/postgresql.md shows the steps.";
  return new ConfigError(message, { hint });
}
