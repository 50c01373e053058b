/**
 * Populations: many customers with a past, so that charts and lists have something to show.
 *
 * @module
 */

import { path } from "../path.ts";
import type { Simulator } from "./simulator.ts";

/** What a population uses: a program for notes, a game, or a newspaper. */
export type PopulationKind = "notes" | "games" | "news";

/** The population to make. */
export interface NewPopulation {
  /** The number of customers, 1 to 100,000. */
  customers: number;
  /** The months of their past, 1 to 60. It ends at the project's time. */
  months: number;
  /** The seed of the random numbers, a whole number from 0. The same seed makes the same customers. */
  seed: number;
  /**
   * The habits of the customers. Its products are added where they are missing, and sold.
   * Default: the project's own products, with the habits of `notes`.
   */
  kind?: PopulationKind | undefined;
  /** Whether customers are added to a project that has customers. Default false. */
  confirmed?: boolean | undefined;
}

/** What a population would be added to. */
export interface PopulationPreview {
  /** Always `population_preview`. */
  object: "population_preview";
  /** The number of the project's customers. */
  customers: number;
  /** The number of the project's webhooks, which get every event. */
  webhooks: number;
}

/** A population, and how far it is. */
export interface Population {
  /** Always `population`. */
  object: "population";
  /** Whether it is being made. */
  running: boolean;
  /** Whether it was stopped before its end. */
  cancelled: boolean;
  /** The number of customers that were asked for. */
  wanted: number;
  /** The seed of the random numbers; null if an earlier version made it. */
  seed: number | null;
  /** The months of the past; null if an earlier version made it. */
  months: number | null;
  /** The kind that was asked for; null if none was. */
  kind: PopulationKind | null;
  /** The number of customers that have come. */
  customers: number;
  /** The number of subscriptions that were begun. */
  subscriptions: number;
  /** The number of one-time purchases. */
  purchases: number;
  /** The number of steps: purchases, renewals, cancellations and the like. */
  steps: number;
  /** When the past begins, in milliseconds since 1970. */
  from: number;
  /** The time that has been reached, in milliseconds since 1970. */
  now: number;
  /** When the past ends, in milliseconds since 1970. */
  to: number;
  /** About how long it still takes, in milliseconds; null when nothing can be said. */
  left_ms: number | null;
  /** Why it failed; null when it did not. */
  error: string | null;
}

/** Reads what a population would be added to. `GET /_sim/projects/{project_id}/population/preview` */
export function previewPopulation({ client, project }: Simulator): Promise<PopulationPreview> {
  return client.get(path`/_sim/projects/${project}/population/preview`);
}

/**
 * Starts to make a population, or continues the latest one: the same request adds the customers that
 * have not come yet. `POST /_sim/projects/{project_id}/population`
 */
export function startPopulation(
  { client, project }: Simulator,
  body: NewPopulation,
): Promise<Population> {
  return client.post(path`/_sim/projects/${project}/population`, body);
}

/**
 * Reads the progress of the project's latest population.
 * `GET /_sim/projects/{project_id}/population`
 */
export function getPopulation({ client, project }: Simulator): Promise<Population> {
  return client.get(path`/_sim/projects/${project}/population`);
}

/**
 * Stops a population: nobody comes or acts any more, and the subscriptions go on to the project's time.
 * `POST /_sim/projects/{project_id}/population/cancel`
 */
export function cancelPopulation({ client, project }: Simulator): Promise<Population> {
  return client.post(path`/_sim/projects/${project}/population/cancel`);
}
