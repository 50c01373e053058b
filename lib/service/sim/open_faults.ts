/**
 * Opens the faults of requests: in memory, or shared where other processes may use the database.
 *
 * @module
 */

import type { Store } from "../store/mod.ts";
import { createFaultList, type FaultList } from "./faults.ts";

/** Opens the list of faults that a store asks for. */
export async function openFaultList(store: Store): Promise<FaultList> {
  if (!store.others) return createFaultList();
  const { openSharedList } = await import("./shared_faults.ts");
  return await openSharedList(store, store.others);
}
