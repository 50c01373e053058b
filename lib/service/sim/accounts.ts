/**
 * Accounts: who can sign in, and in which projects they have a seat. The specification has no
 * operation for either.
 *
 * @module
 */

import { z } from "zod";
import { validate } from "../http/body.ts";
import type { Clock } from "../clock.ts";
import { Refusal } from "../contract/errors.ts";
import { newId } from "../records/ids.ts";
import { addAccount, findAccount, listAccounts } from "../oauth/mod.ts";
import { acrossProjects, inProject, nextSeq, type Store, type Tx } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";

/** An account as it is shown. */
export interface Account {
  /** Always `account`. */
  object: "account";
  /** Generated id, `acct…`. */
  id: string;
  /** Its e-mail address, in lower case. */
  email: string;
  /** The person's name. */
  name: string | null;
  /** The projects in which it has a seat. */
  projects: { id: string; role: string }[];
}

const ROLES = [
  "owner",
  "admin",
  "developer",
  "growth_specialist",
  "operations",
  "customer_support",
  "read_only",
] as const;

const newAccount = z.strictObject({
  email: z.string().max(255).regex(/^[^\s@]+@[^\s@]+$/, "must be an e-mail address"),
  name: z.string().min(1).max(255).optional(),
  project_id: z.string().min(1).optional(),
  role: z.enum(ROLES).optional(),
});

/**
 * Adds an account, and a seat in a project where one is named. An account that is there only gets
 * the seat.
 */
export async function createAccount(store: Store, clock: Clock, body: unknown): Promise<Account> {
  const wanted = validate(newAccount, body);
  const { project_id, role = "developer" } = wanted;
  const email = wanted.email.toLowerCase();
  return await store.write(async (tx) => {
    const present = await findAccount(tx, email);
    if (present && project_id === undefined) {
      throw new Refusal(409, "resource_already_exists", `The account ${email} already exists`, {
        param: "email",
      });
    }
    const account = present ?? await addAccount(tx, { ...wanted, email, now: clock() });
    if (project_id !== undefined) await addSeat(tx, account, { project_id, role, now: clock() });
    return await showAccount(tx, account);
  });
}

/** All accounts, the seeded owner first. */
export async function readAccounts(store: Store): Promise<{ object: "list"; items: Account[] }> {
  return await store.read(async (tx) => {
    const items: Account[] = [];
    for (const account of await listAccounts(tx)) items.push(await showAccount(tx, account));
    return { object: "list", items };
  });
}

/** Gives an account a seat. An invitation to its address is accepted by that. */
async function addSeat(
  whole: Tx,
  account: Row<"accounts">,
  seat: { project_id: string; role: string; now: number },
): Promise<void> {
  const { project_id, role, now } = seat;
  const tx = inProject(whole, project_id);
  const project = await tx.selectFrom("projects").select("id").executeTakeFirst();
  if (!project) {
    const message = `There is no project ${JSON.stringify(project_id)}`;
    throw new Refusal(404, "resource_missing", message, { param: "project_id" });
  }
  const { id: account_id, email, name, has_mfa } = account;
  const held = { account_id, name, role, accepted_at: now, has_mfa };
  const { numUpdatedRows } = await tx.updateTable("collaborators").set(held)
    .where("email", "=", email).executeTakeFirst();
  if (numUpdatedRows > 0n) return;
  const seq = await nextSeq(tx);
  const id = newId("collaborator");
  await tx.insertInto("collaborators").values({ ...held, id, seq, email }).execute();
}

async function showAccount(tx: Tx, { id, email, name }: Row<"accounts">): Promise<Account> {
  const projects = await acrossProjects(tx).selectFrom("collaborators")
    .select(["project_id as id", "role"]).where("account_id", "=", id).orderBy("project_id")
    .execute();
  return { object: "account", id, email, name, projects };
}
