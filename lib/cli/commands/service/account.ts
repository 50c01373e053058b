/**
 * `cli service account …`: the accounts of the local service.
 *
 * @module
 */

import { type ApiError, UsageError } from "../../../errors.ts";
import { argument, choice, command, group, text } from "../../words/command.ts";
import { adminClient, dataFlag, sameData } from "../../local/local_service.ts";
import type { Column } from "../../screen/output.ts";
import type { Context } from "../../context.ts";
import { time } from "../../screen/display.ts";
import { askFirst, confirmFlags } from "../../words/plain.ts";
import {
  type Account,
  createAccount,
  createPasswordLink,
  deleteAccount,
  listAccounts,
} from "../../../simulator/service.ts";
import type { HintScene } from "../../words/hints.ts";
import { ROLES } from "../../../roles.ts";

const columns: Column<Account>[] = [
  { header: "email", value: ({ email }) => email, kind: "id" },
  { header: "name", value: ({ name }) => name },
  {
    header: "projects",
    value: ({ projects }) => projects.map(({ id, role }) => `${id} (${role})`).join(", "),
  },
  { header: "password", value: ({ has_password }) => has_password ? "set" : "none" },
];

/** The hint for an account that is not there. */
function seeAccounts({ status, param }: ApiError, { input }: HintScene): string | undefined {
  if (status !== 404 || param !== undefined) return undefined;
  return `See the accounts: cli service account list${sameData(input.data)}`;
}

/** The hint for an account that is there already. */
function seeReset({ type, param }: ApiError, { id, input }: HintScene): string | undefined {
  if (type !== "resource_already_exists" || param !== "email") return undefined;
  const where = sameData(input.data);
  return `Print a new link for it with: cli service account reset ${id}${where}. ` +
    "Give it a role in a project with: --project ID --role ROLE";
}

const add = command({
  brief: "Add an account that can sign in",
  details:
    "With cli service start --sign-in password, it prints a link: send it to the person, who sets " +
    "the password there. The link works once, and for a day. A new account sees no project until " +
    "it creates one or gets a role in one with --project. --project also works for an existing " +
    "account.",
  args: { email: argument("The account's e-mail address") },
  flags: {
    name: text("The person's name", { placeholder: "name" }),
    project: text("A project to add it to", { placeholder: "id" }),
    role: choice("Its role in that project (default: developer)", ROLES),
    ...dataFlag,
  },
  hint: seeReset,
  async run(context, { email, name, project, role, data }) {
    const { out } = context;
    // The service's own rule, applied before the request.
    if (!/^[^\s@]+@[^\s@]+$/.test(email)) {
      throw new UsageError(`Cannot add ${JSON.stringify(email)}: it is not an e-mail address`);
    }
    const account = await createAccount(await adminClient(context, data), {
      email,
      ...name !== undefined && { name },
      ...project !== undefined && { project_id: project },
      ...role !== undefined && { role },
    });
    if (out.format === "json") return out.json(JSON.stringify(account));
    if (account.password_link) return showLink(context, account);
    out.done(`${account.email} is an account of the service`);
    out.table([account], columns);
    if (!account.has_password) {
      out.note(
        "Where people sign in with a password, print a link for it with: " +
          `cli service account reset ${account.email}`,
      );
    }
  },
});

/** Shows a link that was made: by itself on standard output, so that a script can send it. */
function showLink({ out }: Context, { email, password_link }: Account): void {
  if (!password_link) return;
  const { url, expires_at } = password_link;
  out.text(url);
  out.done(`${email} can set a password with this link until ${time(expires_at)}, once`);
  if (/^https?:\/\/(127\.|localhost|\[::1\])/.test(url)) {
    out.note(
      "The link works in browsers of this machine. For others, restart the service with the " +
        "address that they use: cli service start --public-url URL",
    );
  }
}

const reset = command({
  brief: "Print a new link to set an account's password",
  details:
    "The link works once, and for a day; earlier links of the account end. The old password " +
    "works until the new one is set. That ends the account's sign-ins.",
  args: { email: argument("The account's e-mail address") },
  flags: dataFlag,
  hint: seeAccounts,
  async run(context, { email, data }) {
    const { out } = context;
    const account = await createPasswordLink(await adminClient(context, data), email);
    if (out.format === "json") return out.json(JSON.stringify(account));
    showLink(context, account);
  },
});

const remove = command({
  brief: "Remove an account and end its sign-ins",
  details: "Its seats in projects go too. The only owner of a project cannot be removed.",
  args: { email: argument("The account's e-mail address") },
  flags: { ...dataFlag, ...confirmFlags },
  hint: seeAccounts,
  async run(context, { email, data, ...input }) {
    const { out } = context;
    const client = await adminClient(context, data);
    await askFirst(context, input, `Remove the account ${email} and end all its sign-ins?`);
    const answer = await deleteAccount(client, email);
    if (out.format === "json") return out.json(JSON.stringify(answer));
    out.done(`Removed the account ${answer.email}`);
  },
});

const list = command({
  brief: "List the accounts that can sign in",
  flags: dataFlag,
  async run(context, { data }) {
    const { out } = context;
    const answer = await listAccounts(await adminClient(context, data));
    if (out.format === "json") return out.json(JSON.stringify(answer), "items", "/_sim/accounts");
    out.table(answer.items, columns);
  },
});

/** Accounts of the local service. */
export const account = group("Accounts that can sign in at the local service", [], {
  add,
  list,
  reset,
  remove,
});
