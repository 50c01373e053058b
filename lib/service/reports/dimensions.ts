/**
 * The dimensions of charts: filters and segments.
 *
 * @module
 */

import { type RawBuilder, sql } from "kysely";
import { isDuration } from "../domain/calendar.ts";
import { ownStore } from "../contract/spelling.ts";
import type { Subject } from "./definition.ts";
import { columnRef } from "../store/column_ref.ts";

/** A dimension, to filter or segment a chart. */
export interface Dimension {
  /** Its name in a query. */
  readonly id: string;
  /** Its name for people. */
  readonly display_name: string;
  /** The group in which it is shown, or null. */
  readonly group_display_name: string | null;
  /** Its column in the ledger and its sums. */
  readonly column: string;
  /** Its column in customers, if any. */
  readonly customerColumn?: string;
  /** The choice for an empty value. */
  readonly without?: Choice;
  /** The values, if they are fixed. */
  readonly choices?: readonly Choice[];
  /** The catalogue that names the values, if any. */
  readonly catalogue?: "apps" | "products" | "offerings";
  /** The rule for values, as the end of a sentence, if there is one. */
  readonly rule?: string;
  /** The column's name of a value that has two names. */
  own?(value: string): string;
  /** Whether a value is one that the column can have. */
  accepts(value: string): boolean;
}

/** One value of a dimension. */
export interface Choice {
  /** Its name for code. */
  readonly id: string;
  /** Its name for people. */
  readonly display_name: string;
}

/** Stores and their names. */
const STORES = choices({
  app_store: "App Store",
  mac_app_store: "Mac App Store",
  play_store: "Play Store",
  amazon: "Amazon Appstore",
  stripe: "Stripe",
  svc_billing: "Web Billing",
  paddle: "Paddle",
  roku: "Roku",
  test_store: "Test Store",
});

const PLATFORMS = ["iOS", "Android", "macOS", "tvOS", "watchOS", "visionOS", "Web", "Roku"]
  .map((id) => ({ id, display_name: id }));
const OTHER_PLATFORM = { id: "Other", display_name: "Other" };

const ENVIRONMENTS = choices({ production: "Production", sandbox: "Sandbox" });

/** The choice for a missing country. */
export const UNKNOWN: Choice = { id: "unknown", display_name: "Unknown" };

/** The duration of lifetime purchases. */
const LIFETIME = "P200Y";

const country: Dimension = {
  id: "country",
  display_name: "First Country",
  group_display_name: "Customer",
  column: "country",
  customerColumn: "last_seen_country",
  without: UNKNOWN,
  rule: "must be a country such as DE, or unknown",
  accepts: (value) => /^[A-Z]{2}$/.test(value),
};

const platform: Dimension = {
  id: "platform",
  display_name: "First Platform",
  group_display_name: "Customer",
  column: "platform",
  customerColumn: "last_seen_platform",
  ...fixed([...PLATFORMS, OTHER_PLATFORM]),
};

/** The dimension of production and sandbox. */
export const environment: Dimension = {
  id: "environment",
  display_name: "Environment",
  group_display_name: null,
  column: "environment",
  ...fixed(ENVIRONMENTS),
};

const product = { group_display_name: "Product", accepts: () => true };

const LEDGER: readonly Dimension[] = [
  {
    id: "store",
    display_name: "Store",
    group_display_name: null,
    column: "store",
    ...fixed(STORES),
    own: ownStore,
  },
  { ...product, id: "app_id", display_name: "App", column: "app_id", catalogue: "apps" },
  {
    ...product,
    id: "product_id",
    display_name: "Product",
    column: "product_id",
    catalogue: "products",
  },
  {
    ...product,
    id: "product_duration",
    display_name: "Product Duration",
    column: "product_duration",
    without: { id: LIFETIME, display_name: "Lifetime" },
    rule: `must be a duration such as P1M; ${LIFETIME} means forever`,
    accepts: isDuration,
  },
  {
    ...product,
    id: "offering_id",
    display_name: "Offering",
    column: "offering_id",
    catalogue: "offerings",
    without: { id: "none", display_name: "No offering" },
  },
  country,
  platform,
  environment,
];

const DIMENSIONS: Readonly<Record<Subject, readonly Dimension[]>> = {
  ledger: LEDGER,
  customers: [country, platform],
  // Customers have no environment; here it selects the payments that count.
  payers: [country, platform, environment],
};

/** All dimensions. */
export const ALL_DIMENSIONS: readonly Dimension[] = LEDGER;

/** The filters of charts with this source. */
export function filtersOf(subject: Subject): readonly Dimension[] {
  return DIMENSIONS[subject];
}

/** The segments of charts with this source. */
export function segmentsOf(subject: Subject): readonly Dimension[] {
  return DIMENSIONS[subject].filter(({ customerColumn }) =>
    subject === "ledger" || customerColumn !== undefined
  );
}

/** SQL for a dimension's value in a row: text, empty when missing. */
export function valueIn({ column, id }: Dimension, table?: string): RawBuilder<string> {
  const ref = columnRef(table === undefined ? column : `${table}.${column}`);
  return id === "platform" ? sql`lower(coalesce(${ref}, ''))` : sql`coalesce(${ref}, '')`;
}

/** The same dimension in rows of customers. */
export function ofCustomers(dimension: Dimension): Dimension {
  return { ...dimension, column: dimension.customerColumn ?? dimension.column };
}

/** SQL for whether a row has one of some values. */
export function hasOneOf(
  dimension: Dimension,
  values: readonly string[],
  table?: string,
): RawBuilder<unknown> {
  const value = valueIn(dimension, table);
  const wanted = values.map((one) => dimension.id === "platform" ? one.toLowerCase() : one);
  if (wanted.length === 0) return sql`1 = 0`;
  const listed = sql`${value} in (${sql.join(wanted)})`;
  if (dimension.id !== "platform" || !values.includes(OTHER_PLATFORM.id)) return listed;
  const known = PLATFORMS.map(({ id }) => id.toLowerCase());
  return sql`(${listed} or ${value} not in (${sql.join(known)}))`;
}

/** The name of a platform in whatever spelling. */
export function platformNamed(text: string): string {
  return PLATFORMS.find(({ id }) => id.toLowerCase() === text.toLowerCase())?.id ??
    OTHER_PLATFORM.id;
}

/** A dimension with fixed values. */
function fixed(all: readonly Choice[]): Pick<Dimension, "choices" | "rule" | "accepts"> {
  const ids = all.map(({ id }) => id);
  return {
    choices: all,
    rule: `must be one of ${ids.join(", ")}`,
    accepts: (value) => ids.includes(value),
  };
}

function choices(names: Readonly<Record<string, string>>): readonly Choice[] {
  return Object.entries(names).map(([id, display_name]) => ({ id, display_name }));
}
