/**
 * The options of a chart: its periods, segments, filters and selectors, each as a flag.
 *
 * @module
 */

import type { ChartOptions } from "../../../resources/charts.ts";
import type { Column } from "../../screen/output.ts";
import { quoted } from "../../screen/command_lines.ts";

/** The lengths of a period. */
export const PERIODS = ["day", "week", "month", "quarter", "year"] as const;

/** One choice: the flag to type, and its meaning. */
interface Choice {
  /** The flag with its value. */
  readonly flag: string;
  /** Its meaning, for display. */
  readonly meaning: string;
}

/** The columns of a list of choices. */
export const choiceColumns: Column<Choice>[] = [
  { header: "flag", value: ({ flag }) => flag, kind: "id" },
  { header: "meaning", value: ({ meaning }) => meaning },
];

/** An identifier and a display name, as far as the service sends them. */
interface Named {
  /** The identifier. */
  readonly id?: string | null;
  /** The display name. */
  readonly display_name?: string | null;
}

/** All options of a chart, one after the other. */
export function choicesIn(options: ChartOptions): Choice[] {
  const { resolutions, segments, filters, user_selectors } = options;
  return [
    ...(resolutions ?? []).flatMap(periodChoice),
    ...(segments ?? []).flatMap((segment) =>
      segment.id
        ? [{ flag: `--segment ${quoted(segment.id)}`, meaning: `By ${nameOf(segment)}` }]
        : []
    ),
    ...(filters ?? []).flatMap((filter) =>
      filter.id ? pairChoices("--filter", { ...filter, id: filter.id }) : []
    ),
    ...Object.entries(user_selectors ?? {}).flatMap(([id, selector]) =>
      selector ? pairChoices("--selector", { ...selector, id }) : []
    ),
  ];
}

/** The flag for a period, if any. */
function periodChoice({ display_name }: Named): Choice[] {
  const known = PERIODS.find((period) => period === display_name?.toLowerCase());
  return known && display_name ? [{ flag: `--period ${known}`, meaning: display_name }] : [];
}

/** The flags for the values of a filter or selector; one with a placeholder if it lists none. */
function pairChoices(
  flag: string,
  given: Named & { readonly id: string; readonly options?: readonly Named[] | null },
): Choice[] {
  const name = nameOf(given);
  const values = (given.options ?? []).flatMap((option): Choice[] =>
    option.id
      ? [{ flag: `${flag} ${pair(given.id, option.id)}`, meaning: `${name}: ${nameOf(option)}` }]
      : []
  );
  return values.length > 0 ? values : [{ flag: `${flag} ${given.id}=VALUE`, meaning: name }];
}

/** The display name, or else the identifier. */
function nameOf({ id, display_name }: Named): string {
  return display_name ?? id ?? "-";
}

/** A pair, quoted for a shell. */
function pair(key: string, value: string): string {
  const plain = quoted(key) === key && quoted(value) === value;
  return plain ? `${key}=${value}` : quoted(`${key}=${value}`);
}
