/**
 * `cli service client …`: which programs people can sign in with at the local service.
 *
 * @module
 */

import { adminClient, dataFlag } from "../../local/local_service.ts";
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

/** Where programs on the person's own machine wait. The port is free. */
const LOOPBACK = ["http://127.0.0.1/callback", "http://[::1]/callback"];

const add = command({
  brief: "Register a client, so that people can sign in with it",
  details: "Use the OAuth client id that another program has built in, and it signs in here " +
    "unchanged. A client is public: it has no secret, and must use PKCE. The port of a loopback " +
    "redirect URI is free.",
  examples: [
    "cli service client add acme-cli",
    "cli service client add acme --redirect-uri https://acme.example.com/callback",
  ],
  args: { id: argument("The OAuth client id") },
  flags: {
    name: text("The name to show on the consent page (default: the id)", { placeholder: "name" }),
    redirect_uri: texts(`Where to return to (default: ${LOOPBACK.join(" and ")})`, {
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
    out.done(`People can sign in with ${id}`);
  },
});

const list = command({
  brief: "List the clients that people can sign in with",
  flags: dataFlag,
  async run(context, { data }) {
    const { out } = context;
    const answer = await listClients(await adminClient(context, data));
    if (out.format === "json") return out.json(JSON.stringify(answer), "items");
    out.table(answer.items, columns);
  },
});

const remove = command({
  brief: "Remove a client, and end every sign-in with it",
  args: { id: argument("The OAuth client id") },
  flags: { ...dataFlag, ...confirmFlags },
  async run(context, { id, data, ...input }) {
    const { out } = context;
    const client = await adminClient(context, data);
    await askFirst(context, input, `Remove the client ${id}, and end every sign-in with it?`);
    const answer = await deleteClient(client, id);
    if (out.format === "json") return out.json(JSON.stringify(answer));
    out.done(`Removed the client ${id}`);
  },
});

/** Clients of the local service. */
export const clients = group("Clients that people can sign in with at the local service", [], {
  add,
  list,
  remove,
});
