/**
 * Keeps the sums of cohorts, and where customers have paid, in step with the ledger.
 *
 * @module
 */

import {
  addToCohorts,
  COHORT_KEY,
  type CohortMovement,
  type CohortTotals,
  PAID_IN,
} from "../domain/cohorts.ts";
import type { ProjectCall } from "../records/find.ts";
import { type ProjectTx, updateRows, writeRows } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";
import type { EventFactsReader } from "./event_facts.ts";

/** A movement, as far as it can be a payment. */
type Payment = Pick<
  Row<"movements">,
  "customer_id" | "environment" | "payments_delta" | "gross_usd_micros"
>;

/** A customer, and when it was first seen, in milliseconds since 1970: both are in the ledger. */
interface Since {
  /** The customer's id. */
  id: string;
  /** The time when it was first seen. */
  since: number;
}

/** Adds sums to those of each cohort. */
export async function addCohorts(tx: ProjectTx, cohorts: CohortTotals): Promise<void> {
  await writeRows(tx, "cohort_payments", [...cohorts.values()], { key: COHORT_KEY, then: "add" });
}

/** Notes the environment of new payments on the customers who paid there for the first time. */
export async function markPayers(
  { tx }: ProjectCall,
  facts: EventFactsReader,
  movements: readonly Payment[],
): Promise<void> {
  const paid = new Map<string, number>();
  for (const { customer_id, environment, payments_delta, gross_usd_micros } of movements) {
    if (customer_id === null || payments_delta <= 0 || gross_usd_micros === 0) continue;
    paid.set(customer_id, (paid.get(customer_id) ?? 0) | PAID_IN[environment]);
  }
  const changed: Pick<Row<"customers">, "id" | "paid_in">[] = [];
  for (const [id, now] of paid) {
    const { paidIn } = await facts.customer(id);
    if ((paidIn | now) !== paidIn) changed.push({ id, paid_in: paidIn | now });
  }
  await updateRows(tx, "customers", changed, ["paid_in"]);
}

/**
 * Takes the payments of a customer out of the sums of its cohort, before it loses its movements. If
 * another customer gets them, they count for the cohort of that one, who has then paid as well.
 */
export async function moveCohort(
  { tx }: ProjectCall,
  from: Since,
  to: Since | undefined,
): Promise<void> {
  const payments: CohortMovement[] = await tx.selectFrom("movements")
    .select(["project_id", "at", "customer_id", "customer_since", "environment"])
    .select(["gross_usd_micros", "commission_usd_micros", "tax_usd_micros"])
    .where("customer_since", "=", from.since).where("customer_id", "=", from.id)
    .where("gross_usd_micros", "<>", 0).execute();
  const cohorts: CohortTotals = new Map();
  for (const payment of payments) {
    addToCohorts(cohorts, payment, "take out");
    if (to) addToCohorts(cohorts, { ...payment, customer_id: to.id, customer_since: to.since });
  }
  await addCohorts(tx, cohorts);
  // Of a customer who was alone on its day, nothing is left.
  for (const day of new Set([...cohorts.values()].map((row) => row.day))) {
    await tx.deleteFrom("cohort_payments").where("day", "=", day).where("movements", "=", 0)
      .execute();
  }
  if (to) await joinPaid(tx, from.id, to.id);
}

/** Notes on a customer where another one has paid. */
async function joinPaid(tx: ProjectTx, from: string, to: string): Promise<void> {
  const rows = await tx.selectFrom("customers").select("paid_in").where("id", "in", [from, to])
    .execute();
  const paid_in = rows.reduce((all, row) => all | row.paid_in, 0);
  await updateRows(tx, "customers", [{ id: to, paid_in }], ["paid_in"]);
}
