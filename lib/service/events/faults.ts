/**
 * What goes wrong on purpose with deliveries. Kept in memory: a restart forgets it.
 *
 * @module
 */

import { inProject, type Tx } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";
import type { Claim, Lane } from "./claims.ts";

/**
 * What can go wrong with a delivery: it arrives twice, it never arrives though nobody notices, or the
 * next one of the same customer overtakes it.
 */
export type DeliveryFault = "duplicate" | "drop" | "reorder";

/** Faults of deliveries that are still to come. */
export interface DeliveryFaults {
  /** Lets the next deliveries to an integration go wrong. */
  add(lane: Lane, fault: DeliveryFault, count: number): void;
  /** What goes wrong with this delivery. It is used up with that. */
  next(delivery: Row<"deliveries">): DeliveryFault | undefined;
  /** Keeps a fault that could not happen. */
  putBack(delivery: Row<"deliveries">, fault: DeliveryFault): void;
  /**
   * Lets the customer's next delivery go before this one. Without a next one, this one is held back
   * until `until`, and the answer is false.
   */
  letOvertake(tx: Tx, one: Claim, until: number): Promise<boolean>;
  /** What is still to come for an integration, in order. */
  list(lane: Lane): readonly DeliveryFault[];
  /** What is still to come for the integrations of a project. */
  ofProject(projectId: string): { integration_id: string; faults: readonly DeliveryFault[] }[];
  /** Forgets what is still to come for an integration. */
  clear(lane: Lane): void;
}

/** Makes a place for faults. */
export function createDeliveryFaults(): DeliveryFaults {
  const lanes = new Map<string, DeliveryFault[]>();
  const key = ({ project_id, integration_id }: Lane) => `${project_id} ${integration_id}`;
  return {
    add(lane, fault, count) {
      const more = new Array<DeliveryFault>(count).fill(fault);
      lanes.set(key(lane), [...lanes.get(key(lane)) ?? [], ...more]);
    },
    next: (delivery) => lanes.get(key(delivery))?.shift(),
    putBack: (delivery, fault) => void lanes.get(key(delivery))?.unshift(fault),
    letOvertake,
    list: (lane) => lanes.get(key(lane)) ?? [],
    ofProject: (projectId) =>
      [...lanes].map(([lane, faults]) => ({ lane: lane.split(" "), faults }))
        .filter(({ lane: [id], faults }) => id === projectId && faults.length > 0)
        .map(({ lane: [, integration_id = ""], faults }) => ({ integration_id, faults })),
    clear: (lane) => void lanes.delete(key(lane)),
  };
}

async function letOvertake(
  whole: Tx,
  { delivery, lease }: Claim,
  until: number,
): Promise<boolean> {
  const { project_id, integration_id, customer_id, id } = delivery;
  const tx = inProject(whole, project_id);
  const own = tx.updateTable("deliveries").where("id", "=", id).where("lease", "=", lease);
  const next = await tx.selectFrom("deliveries").select("id")
    .where("integration_id", "=", integration_id).where("customer_id", "=", customer_id)
    .where("state", "=", "pending").where("seq", ">", delivery.seq).orderBy("seq").limit(1)
    .executeTakeFirst();
  await own.set({ lease: null, ready_at: next ? null : until }).execute();
  if (!next) return false;
  await tx.updateTable("deliveries").set({ ready_at: 0 }).where("id", "=", next.id).execute();
  return true;
}
