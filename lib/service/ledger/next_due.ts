/**
 * The time of a project's next due step, as a part of queries.
 *
 * @module
 */

import { sql } from "kysely";

/** The time of a project's next due step: a column of a query on projects, read from an index. */
export const nextDueAt =
  // All projects: the query around it names the project.
  sql<number | null>`(
  select min(due_at) from subscriptions
  where subscriptions.project_id = projects.id and due_at is not null)`.as("next_due_at");
