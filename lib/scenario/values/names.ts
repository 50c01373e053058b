/**
 * Names in a scenario file: of what the catalogue sells, and of what steps above made.
 *
 * @module
 */

import { didYouMean } from "../../spelling.ts";
import { complain, type Kind, type Made, word } from "./kinds.ts";

/** Something that the catalogue names. */
export function sold(what: "product" | "entitlement" | "coins", noun: string): Kind {
  return word(noun, { type: ["string", "number"], minLength: 1 }, (value, node, scope) => {
    const known = scope.catalogue?.[what];
    if (!known || known.includes(value)) return value;
    const there = known.length === 0 ? "none" : known.join(", ");
    return complain(
      scope,
      node.at,
      `the catalogue has no ${NOUNS[what]} ${JSON.stringify(value)}${didYouMean(value, known)}`,
      `There are: ${there}`,
    );
  });
}

const NOUNS = {
  product: "product",
  entitlement: "entitlement",
  coins: "virtual currency",
} as const;

/** A name that a step above gave to what it made. */
export function made(...kinds: readonly Made[]): Kind {
  const what = `the name of a ${kinds.join(" or ")} that a step above gave with "as"`;
  return word(what, { type: "string" }, (value, node, scope) => {
    if (!scope.names.has(value)) {
      const known = [...scope.names.keys()];
      const hint = known.length === 0
        ? 'Add "as: s" to the purchase.'
        : `Names so far: ${known.join(", ")}`;
      const like = didYouMean(value, known);
      return complain(scope, node.at, `no step above makes ${JSON.stringify(value)}${like}`, hint);
    }
    const is = scope.names.get(value);
    if (is === undefined || kinds.includes(is)) return value;
    return complain(
      scope,
      node.at,
      `${JSON.stringify(value)} is a ${is}, not a ${kinds.join(" or ")}`,
    );
  });
}
