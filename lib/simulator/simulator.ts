/**
 * The simulator of a project at the local service.
 *
 * @module
 */

import type { Client } from "../client.ts";

/** The simulator of a project. */
export interface Simulator {
  /** Sends requests as the administrator, without retries: the simulator would act twice. */
  readonly client: Client;
  /** The project. */
  readonly project: string;
}

/** An answer with all items of a list. */
export interface Items<T> {
  /** The items. */
  items: T[];
}
