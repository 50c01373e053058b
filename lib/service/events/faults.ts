/**
 * Injected faults of deliveries. In a process that is alone on its database they are in memory only,
 * and a restart clears them; several processes share them.
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
export type DeliveryFault = Row<"delivery_faults">["fault"];

/** Equal faults that follow each other. */
interface FaultRun {
  /** The integration. */
  integration_id: string;
  /** The fault. */
  fault: DeliveryFault;
  /** The number of deliveries that it happens to. */
  count: number;
}

/** Pending faults of deliveries. */
export interface DeliveryFaults {
  /** Adds a fault to the next deliveries to an integration. */
  add(lane: Lane, fault: DeliveryFault, count: number): Promise<void>;
  /** Takes the fault of the next delivery to an integration. Asks nobody while there is none. */
  next(lane: Lane): DeliveryFault | undefined | Promise<DeliveryFault | undefined>;
  /** Puts back a fault that could not happen. */
  putBack(lane: Lane, fault: DeliveryFault): Promise<void>;
  /** The pending faults of a project's integrations, each integration's in order. */
  list(projectId: string): Promise<FaultRun[]>;
  /** Clears the pending faults of a project, or of one of its integrations. */
  clear(projectId: string, integrationId?: string): Promise<void>;
}

/** Keeps faults in memory. */
export function createDeliveryFaults(): DeliveryFaults {
  const lanes = new Map<string, FaultRun[]>();
  const key = ({ project_id, integration_id }: Lane) => `${project_id} ${integration_id}`;
  const runsOf = (lane: Lane): FaultRun[] => {
    const runs = lanes.get(key(lane)) ?? [];
    lanes.set(key(lane), runs);
    return runs;
  };
  return {
    async add(lane, fault, count) {
      runsOf(lane).push({ integration_id: lane.integration_id, fault, count });
    },
    next(lane) {
      const runs = lanes.get(key(lane));
      const [first] = runs ?? [];
      if (first && --first.count === 0) runs?.shift();
      return first?.fault;
    },
    async putBack(lane, fault) {
      runsOf(lane).unshift({ integration_id: lane.integration_id, fault, count: 1 });
    },
    list: async (projectId) =>
      [...lanes].filter(([lane]) => lane.startsWith(`${projectId} `)).flatMap(([, runs]) => runs),
    async clear(project_id, integration_id) {
      if (integration_id !== undefined) {
        return void lanes.delete(key({ project_id, integration_id }));
      }
      for (const lane of [...lanes.keys()]) {
        if (lane.startsWith(`${project_id} `)) lanes.delete(lane);
      }
    },
  };
}

/**
 * Lets the customer's next delivery overtake this one. Without a next one nothing changes, and the
 * result is false. Does nothing for a claim that is no longer there.
 */
export async function letOvertake(whole: Tx, one: Claim): Promise<boolean> {
  const { project_id, integration_id, customer_id, seq } = one.delivery;
  const tx = inProject(whole, project_id);
  const next = await tx.selectFrom("deliveries").select("id")
    .where("integration_id", "=", integration_id).where("customer_id", "=", customer_id)
    .where("state", "=", "pending").where("seq", ">", seq).orderBy("seq").limit(1)
    .executeTakeFirst();
  if (!next) return false;
  // After an answer that was lost, the next one may be claimed already: it stays as it is.
  if (!await holdBack(whole, one, null)) return true;
  await tx.updateTable("deliveries").set({ ready_at: 0 }).where("id", "=", next.id).execute();
  return true;
}

/**
 * Releases a claimed delivery until a time, or until another one is over. Returns whether the claim
 * was still there.
 */
export async function holdBack(
  whole: Tx,
  { delivery: { project_id, id }, lease }: Claim,
  until: number | null,
): Promise<boolean> {
  const { numUpdatedRows } = await inProject(whole, project_id).updateTable("deliveries")
    .set({ lease: null, ready_at: until })
    .where("id", "=", id).where("lease", "=", lease).executeTakeFirst();
  return numUpdatedRows > 0n;
}
