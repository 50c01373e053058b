/**
 * The results of attempts where several processes share the database: they are stored beside the other
 * work of their project.
 *
 * @module
 */

import {
  letFirstGo,
  lockIntegrations,
  lockOwn,
  type ProjectTx,
  updateRows,
  writeRows,
} from "../store/mod.ts";
import { numbered } from "./attempts.ts";
import type { Ended } from "./ended.ts";

/** The columns that a result changes. The payload is deleted with the end of a delivery. */
const CHANGES = ["state", "ready_at", "lease", "attempts", "tries", "finished_at"] as const;

/**
 * Stores results beside the other work of the project. Returns those whose delivery somebody else
 * holds, or whose claim is gone. None of them disables an integration: that is work of the project.
 */
export async function recordOwn(
  tx: ProjectTx,
  ended: readonly Ended[],
  now: number,
): Promise<Ended[]> {
  if (ended.length === 0) return [];
  const waits = ended.filter(({ outcome }) => outcome.state === "pending");
  const ids = new Set(waits.map(({ claim }) => claim.delivery.integration_id));
  // Disabling fails what waits. So what waits from now on must be there before, or see it.
  const disabled = ids.size > 0 ? await lockIntegrations(tx, [...ids]) : new Map();
  const free = await lockOwn(
    tx,
    ended.map(({ claim }) => ({ id: claim.delivery.id, lease: claim.lease })),
  );
  const own = ended.filter(({ claim: { delivery, lease }, outcome }) =>
    free.has(lease) &&
    (outcome.state !== "pending" || disabled.has(delivery.integration_id))
  );
  const isOver = ({ claim, outcome }: Ended) =>
    outcome.state !== "pending" || disabled.get(claim.delivery.integration_id) === true;
  const over = own.filter(isOver);
  const rows = (some: readonly Ended[], isOver: boolean) =>
    some.map(({ claim: { delivery }, attempts, outcome }) => ({
      id: delivery.id,
      state: isOver && outcome.state === "pending" ? "dead" as const : outcome.state,
      ready_at: isOver ? null : outcome.ready_at,
      lease: null,
      attempts: delivery.attempts + attempts.length,
      tries: delivery.tries + (outcome.counts ? 1 : 0),
      finished_at: isOver ? now : null,
      payload: null,
    }));
  await updateRows(tx, "deliveries", rows(over, true), [...CHANGES, "payload"]);
  const goOn = rows(own.filter((one) => !isOver(one)), false);
  await updateRows(tx, "deliveries", goOn, CHANGES);
  await letFirstGo(tx, over.map(({ claim }) => claim.delivery));
  await writeRows(
    tx,
    "attempts",
    own.flatMap((one) => {
      const { claim: { delivery }, attempts, outcome } = one;
      return numbered(
        delivery.id,
        delivery.attempts,
        attempts,
        isOver(one) ? null : outcome.ready_at,
      );
    }),
  );
  const stored = new Set(own);
  return ended.filter((one) => !stored.has(one));
}
