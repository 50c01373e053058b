/**
 * The possible forms of an answer: without a field, with null in its place, with unknown fields.
 *
 * @module
 */

/** An answer that differs in one place. */
export interface Changed {
  /** The place: `items[].revenue.gross`. */
  readonly place: string;
  /** The change. */
  readonly change: "absent" | "null" | "unknown fields";
  /** The answer. */
  readonly text: string;
}

/** The same answer, once for each field that is left out, once for each that is null, and once with more. */
export function changedAnswers(text: string): Changed[] {
  const answer: unknown = JSON.parse(text);
  const changes = ["absent", "null"] as const;
  return [
    ...[...placesIn(answer, "")].flatMap((place) =>
      changes.map((change) => ({
        place,
        change,
        text: JSON.stringify(without(answer, "", place, change)),
      }))
    ),
    { place: "", change: "unknown fields", text: JSON.stringify(withMore(answer)) },
  ];
}

/** The fields in a value, those of an array's elements under one name. */
function placesIn(value: unknown, prefix: string): Set<string> {
  if (Array.isArray(value)) {
    return new Set(value.flatMap((one) => [...placesIn(one, `${prefix}[]`)]));
  }
  if (typeof value !== "object" || value === null) return new Set();
  return new Set(
    Object.entries(value).flatMap(([name, inner]) => {
      const place = prefix === "" ? name : `${prefix}.${name}`;
      return [place, ...placesIn(inner, place)];
    }),
  );
}

/** A value without one of its fields, or with null there. */
function without(
  value: unknown,
  prefix: string,
  place: string,
  change: "absent" | "null",
): unknown {
  if (Array.isArray(value)) {
    return value.map((one) => without(one, `${prefix}[]`, place, change));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
      const here = prefix === "" ? name : `${prefix}.${name}`;
      if (here !== place) return [[name, without(inner, here, place, change)]];
      return change === "null" ? [[name, null]] : [];
    }),
  );
}

/** A value with unknown fields in every object. */
function withMore(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withMore);
  if (typeof value !== "object" || value === null) return value;
  const own = Object.entries(value).map(([name, inner]) => [name, withMore(inner)]);
  return Object.fromEntries([
    ...own,
    ["zz_list", [{ zz: [1] }]],
    ["zz_object", { zz_inner: { zz: 1 } }],
    ["zz_text", "new"],
  ]);
}
