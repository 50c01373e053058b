/**
 * The people who can sign in.
 *
 * @module
 */

import { newId } from "../records/ids.ts";
import { fixed, type TextTx, type Tx } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";

/** Adds an account. Rejects when the e-mail address is taken; upper and lower case are the same. */
export async function addAccount(
  tx: TextTx,
  account: { email: string; name?: string | null | undefined; now: number },
): Promise<Row<"accounts">> {
  const row = {
    id: newId("account"),
    email: account.email.toLowerCase(),
    name: account.name ?? null,
    has_mfa: 0,
    created_at: account.now,
  };
  await fixed`insert into accounts (id, email, name, has_mfa, created_at)
    values (${row.id}, ${row.email}, ${row.name}, ${row.has_mfa}, ${row.created_at})`.execute(tx);
  return row;
}

/** All accounts, the seeded owner first. */
export async function listAccounts(tx: Tx): Promise<Row<"accounts">[]> {
  return await tx.selectFrom("accounts").selectAll().orderBy("created_at").orderBy("email")
    .execute();
}

/** The account with an e-mail address; without one the first account, which is the seeded owner. */
export async function findAccount(
  tx: Tx,
  email?: string,
): Promise<Row<"accounts"> | undefined> {
  const accounts = await listAccounts(tx);
  return email === undefined
    ? accounts[0]
    : accounts.find((account) => account.email === email.toLowerCase());
}

/** Removes an account and its sign-ins. Returns the grants that ended. It must have no seat left. */
export async function removeAccount(tx: Tx, id: string): Promise<string[]> {
  const grants = tx.selectFrom("grants").select("id").where("account_id", "=", id);
  const ended = (await grants.execute()).map((grant) => grant.id);
  await tx.deleteFrom("access_tokens").where("grant_id", "in", grants).execute();
  await tx.deleteFrom("refresh_tokens").where("grant_id", "in", grants).execute();
  const owned = [
    ...["authorization_codes", "consent_forms", "grants", "idempotency_keys"] as const,
    ...["identities", "password_links", "passwords"] as const,
  ];
  for (const table of owned) await tx.deleteFrom(table).where("account_id", "=", id).execute();
  await tx.deleteFrom("accounts").where("id", "=", id).execute();
  return ended;
}
