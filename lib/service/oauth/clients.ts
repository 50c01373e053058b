/**
 * The programs that people can sign in with, and where each may be sent back to.
 *
 * @module
 */

import type { Tx } from "../store/mod.ts";
import { isRegistrable } from "./redirect.ts";

/** The client that is registered in every database: our own command line. */
export const BUILT_IN_CLIENT = "svc-cli";

/** A registered client. */
export interface Client {
  /** Its id. */
  id: string;
  /** Its name, for people. */
  name: string;
  /** Where it may be sent back to. */
  redirect_uris: readonly string[];
}

/**
 * Registers a client.
 *
 * @throws {TypeError} when one of its redirect URIs is not acceptable.
 */
export async function addClient(tx: Tx, client: Client, now: number): Promise<void> {
  const bad = client.redirect_uris.find((uri) => !isRegistrable(uri));
  if (bad !== undefined) {
    throw new TypeError(
      `Cannot register the client "${client.id}": ${JSON.stringify(bad)} cannot ` +
        "be a redirect URI",
    );
  }
  await tx.insertInto("clients").values({ id: client.id, name: client.name, created_at: now })
    .execute();
  for (const uri of client.redirect_uris) {
    await tx.insertInto("client_redirect_uris").values({ client_id: client.id, uri }).execute();
  }
}

/** The client with an id. */
export async function findClient(tx: Tx, id: string): Promise<Client | undefined> {
  const row = await tx.selectFrom("clients").select(["id", "name"]).where("id", "=", id)
    .executeTakeFirst();
  if (!row) return undefined;
  const uris = await tx.selectFrom("client_redirect_uris").select("uri")
    .where("client_id", "=", id).orderBy("uri").execute();
  return { ...row, redirect_uris: uris.map(({ uri }) => uri) };
}
