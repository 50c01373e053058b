/**
 * Clients: the programs that people can sign in with. The specification has no operation for them.
 *
 * @module
 */

import { z } from "zod";
import { Refusal, taken } from "../contract/errors.ts";
import { addClient, BUILT_IN_CLIENT, type Client, findClient } from "../oauth/clients.ts";
import { isRegistrable } from "../oauth/redirect.ts";
import { adminRoute } from "./route.ts";

/** A client as it is shown. */
export interface ShownClient extends Client {
  /** Always `client`. */
  object: "client";
}

const redirectUri = z.string().refine(
  isRegistrable,
  "must be an https address, a loopback address such as http://127.0.0.1/callback, or an " +
    "address of the app's own scheme such as com.example.app:/callback",
);

const newClient = z.strictObject({
  id: z.string().regex(/^[\x21-\x7e]{1,255}$/, "must be 1 to 255 printable ASCII characters"),
  name: z.string().min(1).max(255).optional(),
  redirect_uris: z.array(redirectUri).min(1).max(20),
});

const createClient = adminRoute({
  summary: "Registers a client.",
  method: "POST",
  path: "/_sim/clients",
  body: newClient,
  status: 201,
}, async ({ store, clock, body }): Promise<ShownClient> => {
  const { id, name = id, redirect_uris } = body();
  const client = { id, name, redirect_uris: [...new Set(redirect_uris)] };
  return await store.write(async (tx) => {
    if (await findClient(tx, id)) throw taken("a client", "id", id);
    await addClient(tx, client, clock());
    return { object: "client", ...client };
  });
});

const listClients = adminRoute({
  summary: "Lists the clients, the built-in one first.",
  method: "GET",
  path: "/_sim/clients",
}, async ({ store }) =>
  await store.read(async (tx) => {
    const rows = await tx.selectFrom("clients").select("id")
      .orderBy("created_at").orderBy("id").execute();
    const items: ShownClient[] = [];
    for (const { id } of rows) {
      const client = await findClient(tx, id);
      if (client) items.push({ object: "client", ...client });
    }
    return { object: "list", items };
  }));

const deleteClient = adminRoute({
  summary: "Removes a client, and ends every sign-in with it.",
  method: "DELETE",
  path: "/_sim/clients/{id}",
}, async ({ store, clock, oauth, params: { id } }) => {
  const ended = await store.write(async (tx) => {
    if (!await findClient(tx, id)) {
      const message = `There is no client ${JSON.stringify(id)}`;
      throw new Refusal(404, "resource_missing", message);
    }
    if (id === BUILT_IN_CLIENT) {
      const message = "The client of the command line cannot be removed";
      throw new Refusal(422, "unprocessable_entity_error", message);
    }
    const grants = tx.selectFrom("grants").select("id").where("client_id", "=", id);
    const ids = (await grants.execute()).map((grant) => grant.id);
    await tx.deleteFrom("access_tokens").where("grant_id", "in", grants).execute();
    await tx.deleteFrom("refresh_tokens").where("grant_id", "in", grants).execute();
    await tx.deleteFrom("grants").where("client_id", "=", id).execute();
    await tx.deleteFrom("clients").where("id", "=", id).execute();
    return ids;
  });
  oauth.forget(ended);
  return { object: "client", id, deleted_at: clock() };
});

/** The routes of clients. */
export const clientRoutes = [createClient, listClients, deleteClient];
