/**
 * Finds the movements of customers.
 *
 * @module
 */

import type { SelectQueryBuilder } from "kysely";
import type { ProjectTx } from "../store/mod.ts";
import type { Tables } from "../store/tables.ts";

/**
 * A query for the times of the movements of some customers, at least one. Movements have an index by
 * the first day of their customer, which holds the times, and lie in the order of time. Asked for a
 * customer's movements alone, SQLite would read all those of the project.
 */
export function momentsOf(
  tx: ProjectTx,
  ids: readonly string[],
): SelectQueryBuilder<Pick<Tables, "movements">, "movements", { at: number }> {
  const customers = tx.selectFrom("customers").select(["id as owner", "first_seen_at"])
    .where("id", "in", ids).as("customers");
  return tx.selectFrom("movements")
    .innerJoin(
      customers,
      (join) =>
        join.onRef("movements.customer_since", "=", "customers.first_seen_at")
          .onRef("movements.customer_id", "=", "customers.owner"),
    )
    .select("movements.at");
}
