/**
 * The store: what the rest of the service uses of the database.
 *
 * @module
 */

export {
  type Change,
  type FoundTable,
  type OnConflict,
  updateChanged,
  updateRows,
  writeRows,
} from "./bulk.ts";
export type { AllQueries, Tx } from "./connection.ts";
export {
  type ColumnName,
  isCheckViolation,
  isForeignKeyViolation,
  isUniqueViolation,
  type Outage,
  outageIn,
  StoreError,
  type StoreFailure,
} from "./failure.ts";
export { fixed } from "./fixed.ts";
export { acrossProjects, inProject, type NewRow, type ProjectTx } from "./in_project.ts";
export {
  type FolderLock,
  lockFolder,
  readAddress,
  type ServerAddress,
  type ServerState,
  writeAddress,
} from "./lock.ts";
export { openStore, type Store, type StoreOptions } from "./open.ts";
export {
  findRow,
  findRowByKey,
  insertRow,
  type KeyedTable,
  type Listed,
  type ListedTable,
  listRows,
} from "./rows.ts";
export { nextSeq } from "./seq.ts";
export type { Tables } from "./tables.ts";
export { unusableDatabase } from "./unusable.ts";
export { type WatchedStore, watchStore } from "./watch.ts";
export type { Work } from "./work.ts";
