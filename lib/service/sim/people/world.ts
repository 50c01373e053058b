/**
 * What is known of a population while it is made: who is to come, what is sold, what is still to
 * happen. Only batches that are on the disk change it.
 *
 * @module
 */

import type { NewPopulation } from "../../../simulator/population.ts";
import type { Subscription } from "../../domain/step.ts";
import type { Row } from "../../store/tables.ts";
import type { Agenda, Entry } from "./agenda.ts";
import type { Habits } from "./kinds.ts";

/** An app with what it sells. */
export interface Shop {
  /** The app's id. */
  readonly app_id: string;
  /** The store. */
  readonly store: string;
  /** Its subscriptions. */
  readonly subscriptions: readonly Row<"products">[];
  /** What is bought once. */
  readonly once: readonly Row<"products">[];
}

/** What somebody does, or what time does to a subscription. */
type Act =
  | ("arrive" | "buy" | "again" | "return" | "consider" | "uncancel" | "recover" | "resume")
  | ("agree" | "reverse" | "refund_purchase" | "due");

/** Something that is to happen. */
export interface Item extends Entry {
  /** What. */
  readonly act: Act;
  /** To whom: the number of the person. */
  readonly person: number;
  /** What its chance is made of. */
  readonly key: number;
  /** The id of the subscription or purchase, or of the product that is bought again. */
  readonly subject?: string | undefined;
}

/** How much there is. */
export interface Counts {
  /** Customers that have come. */
  customers: number;
  /** Subscriptions that were begun. */
  subscriptions: number;
  /** One-time purchases. */
  purchases: number;
  /** Steps. */
  steps: number;
}

/** A population while it is made. */
export interface World {
  /** The project, as it was. */
  readonly project: Row<"projects">;
  /** What was asked for. */
  readonly wanted: NewPopulation;
  /** How people behave. */
  readonly habits: Habits;
  /** What the seed is to chance. */
  readonly key: number;
  /** The past that is played, in milliseconds since 1970. */
  readonly span: { readonly from: number; readonly to: number };
  /** The offering that people see, or null. */
  readonly offering_id: string | null;
  /** What is sold, with the weights of the stores. */
  readonly shops: readonly (readonly [Shop, number])[];
  /** What is still to happen. */
  readonly agenda: Agenda<Item>;
  /** The subscriptions, as they are. */
  readonly subscriptions: Map<string, Subscription>;
  /** People who have bought nothing, with whom others may share. */
  readonly idle: string[];
  /** How many of them share in something already. */
  shared: number;
  /** The last number of an item. */
  number: number;
  /** How much there is. */
  counts: Counts;
}
