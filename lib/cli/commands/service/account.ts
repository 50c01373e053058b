/**
 * `cli service account …`: the accounts of the local service.
 *
 * @module
 */

import { UsageError } from "../../../errors.ts";
import { argument, choice, command, group, text } from "../../words/command.ts";
import { adminClient, dataFlag } from "../../local/local_service.ts";
import type { Column } from "../../screen/output.ts";
import { type Account, createAccount, listAccounts } from "../../../simulator/service.ts";

const ROLES = [
  "owner",
  "admin",
  "developer",
  "growth_specialist",
  "operations",
  "customer_support",
  "read_only",
] as const;

const columns: Column<Account>[] = [
  { header: "email", value: ({ email }) => email, kind: "id" },
  { header: "name", value: ({ name }) => name },
  {
    header: "projects",
    value: ({ projects }) => projects.map(({ id, role }) => `${id} (${role})`).join(", "),
  },
];

const add = command({
  brief: "Add an account that can sign in",
  details:
    "Accounts have no password. A new account sees no project until it creates one or gets a " +
    "role in one with --project. --project also works for an existing account.",
  args: { email: argument("The account's e-mail address") },
  flags: {
    name: text("The person's name", { placeholder: "name" }),
    project: text("A project to add it to", { placeholder: "id" }),
    role: choice("Its role in that project (default: developer)", ROLES),
    ...dataFlag,
  },
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
    out.done(`${account.email} can sign in`);
    out.table([account], columns);
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
export const account = group("Accounts that can sign in at the local service", [], { add, list });
