/**
 * Accounts that can sign in, and their roles in projects. The specification has no operations for
 * them.
 *
 * @module
 */

import { z } from "zod";
import { ROLES } from "../../roles.ts";
import { Refusal } from "../contract/errors.ts";
import { newId } from "../records/ids.ts";
import { addAccount, findAccount, listAccounts, removeAccount } from "../oauth/mod.ts";
import { rememberPlace } from "../records/changes.ts";
import { acrossProjects, inProject, nextSeq, type Tx } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";
import type { Account, DeletedAccount } from "../../simulator/service.ts";
import { account, deletedAccount, wholeOf } from "./answers.ts";
import { adminRoute } from "./route.ts";

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
}, async ({ store, clock, oauth, url, body }): Promise<Account> => {
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
    const shown = await showAccount(tx, account);
    if (present || oauth.way !== "password") return shown;
    return { ...shown, password_link: await oauth.addPasswordLink(tx, account.id, url) };
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

const createPasswordLink = adminRoute({
  name: "createPasswordLink",
  summary: "Makes a new one-time link for a password. Earlier links of the account end.",
  method: "POST",
  path: "/_sim/accounts/{email}/password_link",
  response: account,
  status: 201,
}, async ({ store, oauth, url, params: { email } }): Promise<Account> => {
  if (oauth.way !== "password") {
    const why = oauth.way === "oidc"
      ? "People sign in at a provider here, without a password"
      : "This service asks for no password";
    throw new Refusal(422, "unprocessable_entity_error", why);
  }
  return await store.write(async (tx) => {
    const account = await requireAccount(tx, email);
    const shown = await showAccount(tx, account);
    return { ...shown, password_link: await oauth.addPasswordLink(tx, account.id, url) };
  });
});

const deleteAccount = adminRoute({
  name: "deleteAccount",
  summary: "Removes an account, its seats and its sign-ins.",
  method: "DELETE",
  path: "/_sim/accounts/{email}",
  response: deletedAccount,
}, async ({ store, clock, oauth, params: { email } }): Promise<DeletedAccount> => {
  const now = clock();
  const { id, ended } = await store.write(async (tx) => {
    const { id } = await requireAccount(tx, email);
    await removeSeats(tx, id, now);
    return { id, ended: await removeAccount(tx, id) };
  });
  oauth.forget(ended);
  return { object: "account", id, email: email.toLowerCase(), deleted_at: now };
});

/** The routes of accounts. */
export const accountRoutes = [createAccount, listAllAccounts, createPasswordLink, deleteAccount];

async function requireAccount(tx: Tx, email: string): Promise<Row<"accounts">> {
  const found = await findAccount(tx, email);
  if (found) return found;
  const message = `There is no account with the e-mail address ${JSON.stringify(email)}`;
  throw new Refusal(404, "resource_missing", message);
}

/**
 * Removes an account from its projects.
 *
 * @throws {Refusal} 422 when a project would have no owner.
 */
async function removeSeats(whole: Tx, accountId: string, now: number): Promise<void> {
  // All projects: the account leaves each of them.
  const seats = await acrossProjects(whole).selectFrom("collaborators")
    .select(["project_id", "id", "seq", "role"]).where("account_id", "=", accountId)
    .orderBy("project_id").execute();
  for (const { project_id, role, ...row } of seats) {
    const tx = inProject(whole, project_id);
    const owners = await tx.selectFrom("collaborators").select("id").where("role", "=", "owner")
      .where("accepted_at", "is not", null).execute();
    if (role === "owner" && owners.every(({ id }) => id === row.id)) {
      const message = `The account is the only owner of the project ${project_id}`;
      throw new Refusal(422, "unprocessable_entity_error", message);
    }
    await tx.deleteFrom("collaborators").where("id", "=", row.id).execute();
    await rememberPlace(tx, "collaborator", { ...row, deleted_at: now });
  }
}

/** Adds an account to a project. That also accepts an invitation to its address. */
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
  // All projects: the account shows where it has a seat.
  const projects = await acrossProjects(tx).selectFrom("collaborators")
    .select(["project_id as id", "role"]).where("account_id", "=", id).orderBy("project_id")
    .execute();
  const password = await tx.selectFrom("passwords").select("account_id")
    .where("account_id", "=", id).executeTakeFirst();
  return { object: "account", id, email, name, projects, has_password: password !== undefined };
}
