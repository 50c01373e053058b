/**
 * Accounts: who can sign in, and in which projects they have a seat. The specification has no
 * operation for either.
 *
 * @module
 */

import { z } from "zod";
import { Refusal } from "../contract/errors.ts";
import { newId } from "../records/ids.ts";
import { addAccount, findAccount, listAccounts } from "../oauth/mod.ts";
import { acrossProjects, inProject, nextSeq, type Tx } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";
import type { Account } from "../../simulator/service.ts";
import { account, wholeOf } from "./answers.ts";
import { adminRoute } from "./route.ts";

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

const createAccount = adminRoute({
  name: "createAccount",
  summary: "Adds an account, or a seat in a project. A known account needs the project.",
  method: "POST",
  path: "/_sim/accounts",
  body: newAccount,
  response: account,
  status: 201,
}, async ({ store, clock, body }): Promise<Account> => {
  const wanted = body();
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
});

const listAllAccounts = adminRoute({
  name: "listAccounts",
  summary: "Lists the accounts, the seeded owner first.",
  method: "GET",
  path: "/_sim/accounts",
  response: wholeOf(account),
}, async ({ store }) =>
  await store.read(async (tx) => {
    const items: Account[] = [];
    for (const account of await listAccounts(tx)) items.push(await showAccount(tx, account));
    return { object: "list", items };
  }));

/** The routes of accounts. */
export const accountRoutes = [createAccount, listAllAccounts];

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
