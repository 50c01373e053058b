/**
 * The store: what the rest of the service uses of the database.
 *
 * @module
 */

export { type Change, type FoundTable, updateChanged, updateRows, writeRows } from "./bulk.ts";
export type { Tx } from "./sqlite/connection.ts";
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
export { acrossProjects, inProject, type ProjectTx } from "./in_project.ts";
export { lockFolder, readAddress, writeAddress } from "./lock.ts";
export { openStore, type Store, type StoreOptions } from "./sqlite/open.ts";
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
export { unusableDatabase } from "./sqlite/unusable.ts";
export { type WatchedStore, watchStore } from "./watch.ts";
