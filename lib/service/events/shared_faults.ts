/**
 * Injected faults of deliveries that several processes share. They are in the database; each process
 * remembers which integrations have any.
 *
 * @module
 */

import { sql } from "kysely";
import { missing } from "../contract/errors.ts";
import {
  acrossProjects,
  inProject,
  isForeignKeyViolation,
  openView,
  type Others,
  type ProjectTx,
  type Store,
} from "../store/mod.ts";
import { keyOf, type Lane } from "./claims.ts";
import type { DeliveryFault, DeliveryFaults } from "./faults.ts";

/** Opens the faults that all processes on a database share. */
export async function openSharedFaults(store: Store, others: Others): Promise<DeliveryFaults> {
  const lanes = await openView(others, "faults", () =>
    store.read(async (tx) => {
      // All projects: the view names the project of each lane.
      const rows = await acrossProjects(tx).selectFrom("delivery_faults")
        .select(["project_id", "integration_id"]).distinct().execute();
      return new Set(rows.map(keyOf));
    }));
  return {
    async add(lane, fault, count) {
      const added = await isWritten(store, lane, (tx) => append(tx, lane, fault, count));
      if (!added) throw missing("webhook integration", lane.integration_id);
      await lanes.changed();
    },
    next(lane) {
      const known = lanes.value;
      if (!known.has(keyOf(lane))) return undefined;
      return take(store, lane).then((taken) => {
        if (taken === undefined) known.delete(keyOf(lane));
        return taken;
      });
    },
    async putBack(lane, fault) {
      await isWritten(store, lane, (tx) => prepend(tx, lane, fault));
      lanes.value.add(keyOf(lane));
      others.tell("faults");
    },
    list: (projectId) =>
      store.read((tx) =>
        inProject(tx, projectId).selectFrom("delivery_faults")
          .select(["integration_id", "fault", "count"])
          .orderBy("integration_id").orderBy("seq").execute()
      ),
    async clear(projectId, integrationId) {
      await store.write(async (tx) => {
        const all = inProject(tx, projectId).deleteFrom("delivery_faults");
        await (integrationId === undefined ? all : all.where("integration_id", "=", integrationId))
          .execute();
      }, projectId);
      await lanes.changed();
    },
  };
}

/** Changes the faults of an integration. False: it is no longer there. */
async function isWritten(
  store: Store,
  { project_id }: Lane,
  work: (tx: ProjectTx) => Promise<void>,
): Promise<boolean> {
  try {
    await store.write((tx) => work(inProject(tx, project_id)), project_id);
    return true;
  } catch (error) {
    if (isForeignKeyViolation(error)) return false;
    throw error;
  }
}

/** The faults of an integration. */
function faultsOf(tx: ProjectTx, { integration_id }: Lane) {
  return tx.selectFrom("delivery_faults").where("integration_id", "=", integration_id);
}

async function append(
  tx: ProjectTx,
  lane: Lane,
  fault: DeliveryFault,
  count: number,
): Promise<void> {
  const last = await faultsOf(tx, lane).select("seq").orderBy("seq", "desc").limit(1)
    .executeTakeFirst();
  const { integration_id } = lane;
  const row = { integration_id, seq: (last?.seq ?? 0) + 1, fault, count };
  await tx.insertInto("delivery_faults").values(row).execute();
}

async function prepend(tx: ProjectTx, lane: Lane, fault: DeliveryFault): Promise<void> {
  const first = await faultsOf(tx, lane).select("seq").orderBy("seq").limit(1).executeTakeFirst();
  const { integration_id } = lane;
  const row = { integration_id, seq: (first?.seq ?? 0) - 1, fault, count: 1 };
  await tx.insertInto("delivery_faults").values(row).execute();
}

/** Takes the first fault of an integration. */
async function take(store: Store, lane: Lane): Promise<DeliveryFault | undefined> {
  return await store.write(async (whole) => {
    const tx = inProject(whole, lane.project_id);
    const first = await faultsOf(tx, lane).selectAll().orderBy("seq").limit(1).executeTakeFirst();
    if (!first) return undefined;
    const { integration_id, seq, count, fault } = first;
    if (count > 1) {
      await tx.updateTable("delivery_faults").set({ count: sql<number>`count - 1` })
        .where("integration_id", "=", integration_id).where("seq", "=", seq).execute();
    } else {
      await tx.deleteFrom("delivery_faults")
        .where("integration_id", "=", integration_id).where("seq", "=", seq).execute();
    }
    return fault;
  }, lane.project_id);
}
