/**
 * The flags of lists.
 *
 * @module
 */

import { parseCount } from "../input/input.ts";
import { type Flag, parsed, text, toggle } from "./parameters.ts";

/** The flags of a command that shows a whole list. */
export const listFlags = {
  limit: parsed(
    "Show at most this many items",
    (value) => parseCount(value, "--limit", { min: 1 }),
    {
      placeholder: "n",
    },
  ),
  starting_after: text("Start after the item with this id", { placeholder: "id" }),
  all: toggle("Show all items (the default)"),
};

/** The flags of a command that shows one page of a list. */
export const pageFlags = {
  ...listFlags,
  all: toggle("Show all items (default: one page)"),
};

/** The values of a list's flags. */
export interface ListInput {
  /** `--limit`: the most items to show. */
  limit?: ValueOf<typeof listFlags.limit>;
  /** `--starting-after`: the id to continue after. */
  starting_after?: ValueOf<typeof listFlags.starting_after>;
  /** `--all`: whether to show all pages of a list that shows one by default. */
  all?: ValueOf<typeof listFlags.all>;
}

type ValueOf<F> = F extends Flag<infer T> ? T : never;
