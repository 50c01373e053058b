/**
 * OAuth clients. The specification has no operations for them.
 *
 * @module
 */

import { z } from "zod";
import { Refusal, taken } from "../contract/errors.ts";
import { addClient, BUILT_IN_CLIENT, findClient } from "../oauth/clients.ts";
import { isRegistrable } from "../oauth/redirect.ts";
import type { DeletedClient, RegisteredClient } from "../../simulator/service.ts";
import { client, deletedClient, wholeOf } from "./answers.ts";
import { adminRoute } from "./route.ts";

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
  name: "registerClient",
  summary: "Registers a client.",
  method: "POST",
  path: "/_sim/clients",
  body: newClient,
  response: client,
  status: 201,
}, async ({ store, clock, body }): Promise<RegisteredClient> => {
  const { id, name = id, redirect_uris } = body();
  const added = { id, name, redirect_uris: [...new Set(redirect_uris)] };
  return await store.write(async (tx) => {
    if (await findClient(tx, id)) throw taken("a client", "id", id);
    await addClient(tx, added, clock());
    return { object: "client", ...added };
  });
});

const listClients = adminRoute({
  name: "listClients",
  summary: "Lists the clients, the built-in one first.",
  method: "GET",
  path: "/_sim/clients",
  response: wholeOf(client),
}, async ({ store }) =>
  await store.read(async (tx) => {
    const rows = await tx.selectFrom("clients").select("id")
      .orderBy("created_at").orderBy("id").execute();
    const items: RegisteredClient[] = [];
    for (const { id } of rows) {
      const found = await findClient(tx, id);
      if (found) items.push({ object: "client", ...found });
    }
    return { object: "list", items };
  }));

const deleteClient = adminRoute({
  name: "deleteClient",
  summary: "Removes a client, and ends every sign-in with it.",
  method: "DELETE",
  path: "/_sim/clients/{id}",
  response: deletedClient,
}, async ({ store, clock, oauth, params: { id } }): Promise<DeletedClient> => {
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
