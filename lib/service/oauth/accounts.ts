/**
 * The people who can sign in. They are local: there is no password, since whoever reaches the service
 * on its machine is trusted with it.
 *
 * @module
 */

import { newId } from "../records/ids.ts";
import type { Tx } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";

/** Adds an account. Rejects when the e-mail address is taken; upper and lower case are the same. */
export async function addAccount(
  tx: Tx,
  account: { email: string; name?: string | null | undefined; now: number },
): Promise<Row<"accounts">> {
  const row = {
    id: newId("account"),
    email: account.email.toLowerCase(),
    name: account.name ?? null,
    has_mfa: 0,
    created_at: account.now,
  };
  await tx.insertInto("accounts").values(row).execute();
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
