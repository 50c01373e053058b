/**
 * The store: what the rest of the service uses of the database.
 *
 * @module
 */

export { among } from "./among.ts";
export { loadedBuilder } from "./builder.ts";
export { type Change, type FoundTable, updateChanged, updateRows, writeRows } from "./bulk.ts";
export {
  type ColumnName,
  isCheckViolation,
  isForeignKeyViolation,
  isUnfit,
  isUniqueViolation,
  type Outage,
  outageIn,
  StoreError,
  type StoreFailure,
} from "./failure.ts";
export { COMMIT_BOUNDS } from "./commit_sizes.ts";
export { letFirstGo, lockFirst, lockIntegrations, lockOwn, skipHeld } from "./delivery_lines.ts";
export { fixed } from "./fixed.ts";
export { acrossProjects, inProject, type ProjectTx } from "./in_project.ts";
export { lockFolder, readAddress, writeAddress } from "./lock.ts";
export { isOnServer, openDatabase, startFailure } from "./open.ts";
export type { TextTx, Tx } from "./queries.ts";
export {
  columnsWith,
  deleteRowsWith,
  findRow,
  findRowByKey,
  findSeq,
  insertRow,
  type KeyedTable,
  type Listed,
  type ListedTable,
  listRows,
  nextRowsWith,
  rowsWith,
} from "./rows.ts";
export { schemaSteps } from "./schema_steps.ts";
export { lastSeq, nextSeq, nextSeqs, takeSeqs } from "./seq.ts";
export { openStore } from "./sqlite/open.ts";
export type { Locks, Others, Store, StoreFigures, StoreOptions } from "./store.ts";
export { openView } from "./view.ts";
export { holdBack, type WatchedStore, watchStore } from "./watch.ts";
export { inPlaceOf, plainly } from "./work.ts";
