/**
 * The catalogue's part in charts: names for ids, and the values of filters.
 *
 * @module
 */

import { sql } from "kysely";
import type { ProjectCall } from "../records/find.ts";
import {
  type Choice,
  type Dimension,
  ofCustomers,
  platformNamed,
  UNKNOWN,
  valueIn,
} from "./dimensions.ts";

/** The objects of a project by which charts can be segmented. */
export interface Catalogue {
  /** Apps, oldest first. */
  readonly apps: readonly Choice[];
  /** Products, oldest first. */
  readonly products: readonly Choice[];
  /** The durations of current products. */
  readonly durations: readonly string[];
  /** Offerings, oldest first. */
  readonly offerings: readonly Choice[];
  /** Ids of offerings by lookup key. */
  readonly offeringIds: ReadonlyMap<string, string>;
}

/** Reads the catalogue. */
export async function readCatalogue({ tx }: ProjectCall): Promise<Catalogue> {
  const apps = await tx.selectFrom("apps").select(["id", "name"]).orderBy("seq").execute();
  const products = await tx.selectFrom("products")
    .select(["id", "type", "store_identifier", "duration"]).orderBy("seq").execute();
  const offerings = await tx.selectFrom("offerings").select(["id", "lookup_key", "display_name"])
    .orderBy("seq").execute();
  return {
    apps: apps.map(({ id, name }) => ({ id, display_name: name })),
    products: products.map(({ id, store_identifier }) => ({ id, display_name: store_identifier })),
    durations: products.flatMap(({ type, duration }) =>
      type === "subscription" ? duration ?? [] : ""
    ),
    offerings: offerings.map(({ id, display_name }) => ({ id, display_name })),
    offeringIds: new Map(offerings.map(({ id, lookup_key }) => [lookup_key, id])),
  };
}

/** The column values for a filter value. */
export function columnValues(
  dimension: Dimension,
  value: string,
  catalogue: Catalogue,
): readonly string[] {
  if (value === dimension.without?.id) return [""];
  if (dimension.catalogue === "offerings") return [catalogue.offeringIds.get(value) ?? value];
  return [dimension.own?.(value) ?? value];
}

/** The segment of a column value. */
export function segmentOf(dimension: Dimension, value: string, catalogue: Catalogue): Choice {
  if (value === "" && dimension.without) return dimension.without;
  if (dimension.id === "platform") {
    return { id: platformNamed(value), display_name: platformNamed(value) };
  }
  if (dimension.id === "country") return countryChoice(value);
  if (dimension.id === "product_duration") return durationChoice(value);
  const known = dimension.catalogue ? catalogue[dimension.catalogue] : dimension.choices ?? [];
  return known.find(({ id }) => id === value) ?? { id: value, display_name: value };
}

/** The possible values of a chart's filter. */
export async function choicesOf(
  place: ProjectCall,
  dimension: Dimension,
  catalogue: Catalogue,
  of: "ledger" | "customers",
): Promise<readonly Choice[]> {
  if (dimension.choices) return dimension.choices;
  if (dimension.catalogue) {
    const { without } = dimension;
    return [...catalogue[dimension.catalogue], ...without ? [without] : []];
  }
  const [table, column] = of === "ledger"
    ? ["movements_monthly", dimension] as const
    : ["customers", ofCustomers(dimension)] as const;
  const { rows } = await sql<{ value: string }>`
    select distinct ${valueIn(column)} as value from ${place.tx.rows(table)} as rows`.execute(
    place.tx,
  );
  const values = rows.map(({ value }) => value);
  if (dimension.id === "product_duration") {
    // Durations that were sold before, and those of current products.
    return [...new Set([...values, ...catalogue.durations])]
      .map((value) => segmentOf(dimension, value, catalogue))
      .sort((a, b) => a.id < b.id ? -1 : 1);
  }
  return values.map((value) => segmentOf(dimension, value, catalogue))
    .sort((a, b) => rank(a) - rank(b) || (a.display_name < b.display_name ? -1 : 1));
}

/** Sorts "unknown" last. */
function rank({ id }: Choice): number {
  return id === UNKNOWN.id ? 1 : 0;
}

let countryNames: Intl.DisplayNames | undefined;

/** A country's English name. */
function countryChoice(id: string): Choice {
  if (!/^[A-Z]{2}$/.test(id)) return { id, display_name: id };
  countryNames ??= new Intl.DisplayNames("en", { type: "region" });
  return { id, display_name: countryNames.of(id) ?? id };
}

/** A duration in words. */
function durationChoice(id: string): Choice {
  const [, digits = "", unit = ""] = /^P(\d+)([DWMY])$/.exec(id) ?? [];
  const word = { D: "day", W: "week", M: "month", Y: "year" }[unit];
  const display_name = word === undefined ? id : `${digits} ${word}${digits === "1" ? "" : "s"}`;
  return { id, display_name };
}
