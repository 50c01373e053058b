/**
 * `cli service client …`: the OAuth clients of the local service.
 *
 * @module
 */

import { adminClient, dataFlag, sameData } from "../../local/local_service.ts";
import type { Column } from "../../screen/output.ts";
import { argument, command, group, text, texts } from "../../words/command.ts";
import { askFirst, confirmFlags } from "../../words/plain.ts";
import {
  deleteClient,
  listClients,
  registerClient,
  type RegisteredClient,
} from "../../../simulator/service.ts";

const columns: Column<RegisteredClient>[] = [
  { header: "id", value: ({ id }) => id, kind: "id" },
  { header: "name", value: ({ name }) => name },
  { header: "redirect_uris", value: ({ redirect_uris }) => redirect_uris.join(" ") },
];

/** The redirect URIs of programs on the person's own machine. The port is free. */
const LOOPBACK = ["http://127.0.0.1/callback", "http://[::1]/callback"];

const add = command({
  brief: "Register an OAuth client",
  details:
    "Register the built-in OAuth client id of another program, and that program signs in here " +
    "unchanged. Clients are public: they have no secret and must use PKCE. A loopback redirect " +
    "URI can use any port.",
  examples: [
    "cli service client add acme-cli",
    "cli service client add acme --redirect-uri https://acme.example.com/callback",
  ],
  args: { id: argument("The OAuth client id") },
  flags: {
    name: text("The name to show on the consent page (default: the id)", { placeholder: "name" }),
    redirect_uri: texts(`The redirect URI (default: ${LOOPBACK.join(" and ")})`, {
      placeholder: "uri",
    }),
    ...dataFlag,
  },
  async run(context, { id, name, redirect_uri, data }) {
    const { out } = context;
    const client = await adminClient(context, data);
    const answer = await registerClient(client, {
      id,
      ...name !== undefined && { name },
      redirect_uris: redirect_uri.length > 0 ? redirect_uri : LOOPBACK,
    });
    if (out.format === "json") return out.json(JSON.stringify(answer));
    out.table([answer], columns);
    out.done(`Registered the client ${id}`);
  },
});

const list = command({
  brief: "List the registered OAuth clients",
  flags: dataFlag,
  async run(context, { data }) {
    const { out } = context;
    const answer = await listClients(await adminClient(context, data));
    if (out.format === "json") return out.json(JSON.stringify(answer), "items", "/_sim/clients");
    out.table(answer.items, columns);
  },
});

const remove = command({
  brief: "Remove an OAuth client and end its sign-ins",
  args: { id: argument("The OAuth client id") },
  flags: { ...dataFlag, ...confirmFlags },
  hint: ({ status }, { input }) =>
    status === 404 ? `See the clients: cli service client list${sameData(input.data)}` : undefined,
  async run(context, { id, data, ...input }) {
    const { out } = context;
    const client = await adminClient(context, data);
    await askFirst(context, input, `Remove the client ${id} and end all its sign-ins?`);
    const answer = await deleteClient(client, id);
    if (out.format === "json") return out.json(JSON.stringify(answer));
    out.done(`Removed the client ${id}`);
  },
});

/** Clients of the local service. */
export const clients = group("OAuth clients of the local service", [], {
  add,
  list,
  remove,
});
