/**
 * The locks of deliveries, where results and claims are written beside the other work of a project. The
 * pending deliveries of a customer to an integration are a line: one of them is ready, and its end makes
 * the first of the others ready.
 *
 * Whoever adds to a line locks its first delivery before, in `lockFirst()`, and decides in a later
 * statement whether the new one is ready or waits. Whoever ends a delivery holds its row, by `lockOwn()`,
 * and looks in a later statement for the next one, in `letFirstGo()`. Each statement sees what was
 * committed before it. So either the new delivery sees that the line is empty, or the end sees the new
 * delivery.
 *
 * Results and claims pass over rows that others hold. They hold rows of many lines, and so do those who
 * add to lines: if both waited, they would wait for each other.
 *
 * @module
 */

import { runText } from "./fixed.ts";
import type { ProjectTx } from "./in_project.ts";
import type { Row } from "./tables.ts";

/** A customer's line at an integration. */
type CustomerLine = Pick<Row<"deliveries">, "integration_id" | "customer_id">;

/** The end of a query of deliveries to claim: rows that others hold are left out. */
const CLAIM = " for no key update of deliveries skip locked";

/** The end of a query of deliveries to claim. Nothing where others cannot hold any. */
export function skipHeld({ whole }: ProjectTx): string | undefined {
  return whole.hasRowLocks ? CLAIM : undefined;
}

/**
 * Locks the first pending delivery of each line until the end of the transaction. To be called before
 * deliveries are added to the lines. If another transaction holds the first one, this waits for its end,
 * and locks the one that is the first then.
 */
export async function lockFirst(tx: ProjectTx, lines: readonly CustomerLine[]): Promise<void> {
  if (!tx.whole.hasRowLocks || lines.length === 0) return;
  // Many may be of the same customer.
  const different = new Map(
    lines.map((line) => [`${line.integration_id} ${line.customer_id}`, line]),
  );
  const { columns, values } = rowsOf(tx, ["integration_id", "customer_id"], [
    ...different.values(),
  ]);
  await runText(
    tx,
    `select first.id from ${columns} cross join lateral (
      select id from deliveries
      where project_id = ? and integration_id = given.integration_id
        and customer_id = given.customer_id and state = 'pending'
      order by seq limit 1 for no key update) as first`,
    [...values, tx.projectId],
  );
}

/**
 * Locks deliveries until the end of the transaction, if they still have the leases, and nobody else
 * holds them. Returns the leases of those that it has locked: an id does not tell which of two claims of
 * one delivery still holds.
 */
export async function lockOwn(
  tx: ProjectTx,
  own: readonly { id: string; lease: string }[],
): Promise<ReadonlySet<string>> {
  const { columns, values } = rowsOf(tx, ["id", "lease"], own);
  const { rows } = await runText<{ lease: string }>(
    tx,
    `select deliveries.lease from ${columns} join deliveries
      on deliveries.project_id = ? and deliveries.id = given.id and deliveries.lease = given.lease
    for no key update of deliveries skip locked`,
    [...values, tx.projectId],
  );
  return new Set(rows.map(({ lease }) => lease));
}

/**
 * Keeps integrations from being disabled until the end of the transaction. Returns which of them are
 * disabled; those that are deleted, or that somebody changes at this moment, are left out.
 */
export async function lockIntegrations(
  tx: ProjectTx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, boolean>> {
  const { columns, values } = rowsOf(tx, ["id"], ids.map((id) => ({ id })));
  const { rows } = await runText<{ id: string; disabled_at: number | null }>(
    tx,
    `select webhook.id, disabled_at from ${columns} join webhook_integrations as webhook
      on webhook.project_id = ? and webhook.id = given.id
    for share of webhook skip locked`,
    [...values, tx.projectId],
  );
  return new Map(rows.map(({ id, disabled_at }) => [id, disabled_at !== null]));
}

/** Makes the first pending delivery of each line ready, unless it is. None of a line is ready. */
export async function letFirstGo(tx: ProjectTx, lines: readonly CustomerLine[]): Promise<void> {
  if (lines.length === 0) return;
  const { columns, values } = rowsOf(tx, ["integration_id", "customer_id"], lines);
  await runText(
    tx,
    `update deliveries set ready_at = 0
    from ${columns} cross join lateral (
      select id from deliveries
      where project_id = ? and integration_id = given.integration_id
        and customer_id = given.customer_id and state = 'pending'
      order by seq limit 1) as first
    where deliveries.project_id = ? and deliveries.id = first.id
      and deliveries.state = 'pending' and deliveries.ready_at is null`,
    [...values, tx.projectId, tx.projectId],
  );
}

/** Rows of texts as a table named `given`, in an array for each column. */
function rowsOf<C extends string>(
  { whole: { arrays } }: ProjectTx,
  names: readonly C[],
  rows: readonly Record<C, string>[],
): { columns: string; values: unknown[] } {
  return {
    columns: `unnest(${names.map(() => "?::text[]").join(", ")}) as given (${names.join(", ")})`,
    values: names.map((name) => arrays?.value("text", rows.map((row) => row[name]))),
  };
}
