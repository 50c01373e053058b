/**
 * What a listener reads: the events after those that it has acknowledged.
 *
 * @module
 */

import { sql } from "kysely";
import { missing, Refusal } from "../contract/errors.ts";
import { inProject, type ProjectTx, type Tx } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";
import type { Pull } from "./listeners.ts";

/**
 * The next events of a listener.
 *
 * @throws {Refusal} for other programs than the one that opened it last, and for a deleted listener.
 */
export async function readNext(whole: Tx, wanted: Pull): Promise<Row<"events">[]> {
  const tx = inProject(whole, wanted.project_id);
  await checkSession(tx, wanted);
  return await readEvents(tx, wanted);
}

/**
 * Accepts only the program that opened the listener last.
 *
 * @throws {Refusal} for other programs, and for a deleted listener.
 */
export async function checkSession(
  tx: ProjectTx,
  { name, session }: Pick<Pull, "name" | "session">,
): Promise<void> {
  const listener = await tx.selectFrom("listeners").select("session")
    .where("name", "=", name).executeTakeFirst();
  if (!listener) throw missing("listener", name);
  if (session === undefined || listener.session === session) return;
  const message =
    `Cannot listen as ${JSON.stringify(name)} any more: another program now uses this name ` +
    "and receives the unacknowledged events; use a different name for each";
  throw new Refusal(409, "resource_already_exists", message);
}

/** The number of unacknowledged events of a listener. */
export async function countWaiting(
  tx: ProjectTx,
  { acknowledged }: Row<"listeners">,
  types: readonly string[] | undefined,
): Promise<number> {
  const { rows: [row] } = await sql<{ count: number }>`
    select count(*) as count from ${tx.rows("events")} as events where seq > ${acknowledged} and ${
    isOneOf(types)
  }`.execute(tx);
  return row?.count ?? 0;
}

async function readEvents(tx: ProjectTx, { name, types, limit }: Pull) {
  const { rows } = await sql<Row<"events">>`
    select events.* from ${tx.rows("events")} as events
    join ${tx.rows("listeners")} as listeners on listeners.name = ${name}
    where seq > acknowledged and ${isOneOf(types)}
    order by seq limit ${limit}`.execute(tx);
  return rows;
}

function isOneOf(types: readonly string[] | undefined) {
  return types === undefined ? sql`1 = 1` : sql`type in (${sql.join(types)})`;
}
