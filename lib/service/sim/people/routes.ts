/**
 * The routes of populations.
 *
 * @module
 */

import { sql } from "kysely";
import { z } from "zod";
import { Refusal } from "../../contract/errors.ts";
import { population, populationPreview } from "../answers.ts";
import { type AdminRoute, adminRoute, simRoute } from "../route.ts";
import { MOST_CUSTOMERS, MOST_MONTHS } from "./limits.ts";

const PLACE = "/_sim/projects/{project_id}/population";

const newPopulation = z.strictObject({
  customers: z.int().min(1).max(MOST_CUSTOMERS),
  months: z.int().min(1).max(MOST_MONTHS),
  seed: z.int().min(0),
  kind: z.enum(["notes", "games", "news"]).optional(),
  confirmed: z.boolean().optional(),
});

/** Reads what a population would be added to. */
export const previewRoute = simRoute({
  name: "previewPopulation",
  summary: "Reads what a population would be added to: customers and webhooks.",
  method: "GET",
  path: "/population/preview",
  response: populationPreview,
}, async ({ tx }) => {
  const count = sql<number>`count(*)`.as("count");
  const customers = await tx.selectFrom("customers").select(count).executeTakeFirstOrThrow();
  const webhooks = await tx.selectFrom("webhook_integrations").select(count)
    .where("disabled_at", "is", null).executeTakeFirstOrThrow();
  return {
    object: "population_preview" as const,
    customers: customers.count,
    webhooks: webhooks.count,
  };
});

const start = adminRoute({
  name: "startPopulation",
  summary: "Starts to make a population: customers with a past that ends at the project's time.",
  method: "POST",
  path: PLACE,
  body: newPopulation,
  response: population,
  status: 201,
}, ({ params: { project_id }, populations, body }) => populations.begin(project_id, body()));

const show = adminRoute(
  {
    name: "getPopulation",
    summary: "Reads the progress of the project's latest population.",
    method: "GET",
    path: PLACE,
    response: population,
  },
  async ({ params: { project_id }, populations }) =>
    await populations.find(project_id) ?? refuse(project_id),
);

const cancel = adminRoute({
  name: "cancelPopulation",
  summary: "Stops a population. Its subscriptions go on to the project's time.",
  method: "POST",
  path: `${PLACE}/cancel`,
  response: population,
}, async ({ params: { project_id }, populations }) => {
  await populations.cancel(project_id);
  return await populations.find(project_id) ?? refuse(project_id);
});

/** The routes of populations that open transactions themselves. */
export const populationRoutes: readonly AdminRoute[] = [start, show, cancel];

function refuse(id: string): never {
  const message = `No population was made in the project ${JSON.stringify(id)}`;
  throw new Refusal(404, "resource_missing", message, { param: "project_id" });
}
