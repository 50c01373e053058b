/**
 * The tables of what processes on one database share besides the data.
 *
 * @module
 */

import type { Generated } from "kysely";

/** A fault of requests. */
interface RequestFaultRow {
  /** The order: the first one that concerns a request happens to it. */
  seq: number;
  /** The fault as JSON, without its count. */
  fault: string;
  /** How many requests it still happens to. */
  count: number;
}

/** A fault of the next deliveries to an integration. */
interface DeliveryFaultRow {
  project_id: string;
  integration_id: string;
  /** The order in which they happen. */
  seq: number;
  fault: "duplicate" | "drop" | "reorder";
  /** How many deliveries it still happens to. */
  count: number;
}

/** A project that catches up with its time. */
interface CatchUpRow {
  project_id: string;
  /** When the run began, by wall time. */
  began_at: number;
  /** The project's time that was reached. */
  now: number;
  /** The project's time where the run ends. */
  target: number;
  /** The steps so far, of all processes. */
  done: number;
}

/** A note of one process for the others. */
interface NoteRow {
  /** Counts up in the order of the commits. */
  number: number;
  /** The process that wrote it. */
  holder: string;
  at: number;
  text: string;
}

/**
 * A process that is alive, as long as it renews its row: one behind a pooler. Where there is one, the
 * others ask and answer it by rows of their own, which do not show that they are alive.
 */
interface HolderRow {
  holder: string;
  /** Its version and role. */
  name: string;
  connected_at: number;
  /** When it counts as dead, by the database's clock. */
  expires_at: number;
  /** When it last asked the others to look for news, by the database's clock, in microseconds. */
  asked_at: Generated<number>;
  /** It has looked for news after this time, by the database's clock, in microseconds. */
  looked_at: Generated<number>;
}

/** By what a process knows its admin secret: another one with the same secret gets the same digest. */
interface SecretCheckRow {
  holder: string;
  /** What the digest is made with, besides the secret. */
  salt: string;
  /** The secret, hashed so that it cannot be computed from this. */
  digest: string;
  /** When the process started. */
  at: number;
}

/** The process that does what needs doing once. */
interface LeaderRow {
  /** Always 1: there is one row at most. */
  place: number;
  holder: string;
  /** When it showed last that it leads, in milliseconds since 1970. */
  seen_at: number;
}

/** The tables. */
export interface ProcessTables {
  request_faults: RequestFaultRow;
  delivery_faults: DeliveryFaultRow;
  catch_ups: CatchUpRow;
  notes: NoteRow;
  holders: HolderRow;
  secret_checks: SecretCheckRow;
  leader: LeaderRow;
}

/** Those whose rows belong to no project. */
export const SHARED_BY_PROCESSES = [
  "request_faults",
  "notes",
  "holders",
  "secret_checks",
  "leader",
] as const;
