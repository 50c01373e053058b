/**
 * Injected faults of deliveries. They are in memory only; a restart clears them.
 *
 * @module
 */

import { inProject, type Tx } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";
import type { Claim, Lane } from "./claims.ts";

/**
 * The faults of a delivery: it arrives twice, it is silently lost, or the customer's next one
 * overtakes it.
 */
export type DeliveryFault = "duplicate" | "drop" | "reorder";

/** Pending faults of deliveries. */
export interface DeliveryFaults {
  /** Adds a fault to the next deliveries to an integration. */
  add(lane: Lane, fault: DeliveryFault, count: number): void;
  /** Takes the fault of this delivery. */
  next(delivery: Row<"deliveries">): DeliveryFault | undefined;
  /** Puts back a fault that could not happen. */
  putBack(delivery: Row<"deliveries">, fault: DeliveryFault): void;
  /**
   * Lets the customer's next delivery overtake this one. Without a next one, this one waits until
   * `until`, and the result is false.
   */
  letOvertake(tx: Tx, one: Claim, until: number): Promise<boolean>;
  /** The pending faults of an integration, in order. */
  list(lane: Lane): readonly DeliveryFault[];
  /** The pending faults of a project's integrations. */
  ofProject(projectId: string): { integration_id: string; faults: readonly DeliveryFault[] }[];
  /** Clears the pending faults of an integration. */
  clear(lane: Lane): void;
}

/** Creates the store of faults. */
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
