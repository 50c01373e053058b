/**
 * Populations of a service in the same process.
 *
 * @module
 */

import { createClient } from "../../lib/client.ts";
import type { Service } from "../../lib/service/mod.ts";
import {
  getPopulation,
  type NewPopulation,
  type Population,
  startPopulation,
} from "../../lib/simulator/population.ts";
import type { Simulator } from "../../lib/simulator/simulator.ts";
import { BASE_URL } from "./harness.ts";

/** The simulator of a service's project, by default of its oldest one. */
export function simulatorOf(service: Service, project = service.projectId ?? ""): Simulator {
  const client = createClient({
    baseUrl: BASE_URL,
    credential: service.adminSecret,
    fetch: (request) => service.fetch(request),
    retries: 0,
  });
  return { client, project };
}

/** Makes a population and waits for its end. */
export async function makePopulation(
  service: Service,
  wanted: Partial<NewPopulation> = {},
): Promise<Population> {
  const simulator = simulatorOf(service);
  const usual = { customers: 300, months: 12, seed: 42, confirmed: true };
  await startPopulation(simulator, { ...usual, ...wanted });
  return await whenMade(simulator);
}

/** Waits for the end of a population. */
export async function whenMade(simulator: Simulator): Promise<Population> {
  for (;;) {
    const population = await getPopulation(simulator);
    if (!population.running) return population;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
