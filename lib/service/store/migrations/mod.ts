/**
 * The steps from an empty database to the present one, in order. A step that was released never
 * changes; a change to the tables is a new step at the end.
 *
 * @module
 */

import { sql as catalogue } from "./0001_catalogue.ts";
import { sql as oauth } from "./0002_oauth.ts";
import { sql as holdings } from "./0003_holdings.ts";
import { sql as presentation } from "./0004_presentation.ts";
import { sql as deliveries } from "./0005_deliveries.ts";
import { sql as customerSearch } from "./0006_customer_search.ts";
import { sql as reports } from "./0007_reports.ts";
import { sql as listeners } from "./0008_listeners.ts";
import { sql as terms } from "./0009_terms.ts";
import { sql as upkeep } from "./0010_upkeep.ts";

/** One step. Its number is its place in the list, from 1. */
export interface Migration {
  /** What the step brings, as in its file's name. */
  name: string;
  /** The statements. */
  sql: string;
}

/** All steps. */
export const migrations: readonly Migration[] = [
  { name: "catalogue", sql: catalogue },
  { name: "oauth", sql: oauth },
  { name: "holdings", sql: holdings },
  { name: "presentation", sql: presentation },
  { name: "deliveries", sql: deliveries },
  { name: "customer_search", sql: customerSearch },
  { name: "reports", sql: reports },
  { name: "listeners", sql: listeners },
  { name: "terms", sql: terms },
  { name: "upkeep", sql: upkeep },
];
