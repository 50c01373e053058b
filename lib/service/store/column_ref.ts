/**
 * Names of columns in SQL that is built. Outside of the store this is the only way to put a name into
 * SQL, so that no name is that of a table whose rows belong to projects.
 *
 * @module
 */

import type { RawBuilder } from "kysely";
import { loadedBuilder } from "./builder.ts";
import { StoreError } from "./failure.ts";
import type { ProjectTable } from "./tables.ts";

/** The tables whose rows belong to projects. */
const PROJECT_TABLES: Readonly<Record<ProjectTable, true>> = {
  app_keys: true,
  apps: true,
  assigned_offerings: true,
  attempts: true,
  attribute_times: true,
  audit_logs: true,
  catch_ups: true,
  cohort_payments: true,
  collaborators: true,
  currency_balances: true,
  currency_entries: true,
  customer_aliases: true,
  customer_attributes: true,
  customers: true,
  deliveries: true,
  delivery_faults: true,
  entitlement_products: true,
  entitlements: true,
  events: true,
  invoices: true,
  listeners: true,
  movement_totals: true,
  movements: true,
  movements_daily: true,
  movements_monthly: true,
  offerings: true,
  package_products: true,
  packages: true,
  paywalls: true,
  products: true,
  projects: true,
  purchases: true,
  receipts: true,
  subscriptions: true,
  tombstones: true,
  transactions: true,
  virtual_currencies: true,
  webhook_integrations: true,
};

/**
 * A column in SQL: its name, or the name of a table in the query, a dot, and its name.
 *
 * @throws {StoreError} when a table has this name, which is a mistake of the calling code.
 */
export function columnRef<T = unknown>(name: string): RawBuilder<T> {
  if (Object.hasOwn(PROJECT_TABLES, name.slice(name.lastIndexOf(".") + 1).trim().toLowerCase())) {
    throw new StoreError(`Cannot use ${JSON.stringify(name)} as a column: it is a table`, {
      failure: "misuse",
    });
  }
  return loadedBuilder().sql.ref<T>(name);
}
