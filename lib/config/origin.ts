/**
 * Settings come from several sources; the first source with a value counts. Later sources are read
 * only by commands that show overridden settings, so other commands do not pay for them.
 *
 * @module
 */

/** The source of a setting. */
export interface Origin<Kind extends string> {
  /** The kind of source. */
  kind: Kind;
  /** The source's name: an option, a variable or a file's path. */
  source: string;
}

/** A possible source of a setting. */
export type Lookup<T> = () => Promise<T | undefined>;

/** A setting that was found, and its values in later sources. */
interface FirstFound<T> {
  /** The value in effect. */
  first: T | undefined;
  /** The overridden values. Empty unless requested. */
  shadowed: T[];
}

/**
 * Reads one source after the other. An error ends the search if it is before the first value; an
 * error in an overridden source does not matter.
 */
export async function findFirst<T>(
  lookups: readonly Lookup<T>[],
  options: { withShadowed: boolean },
): Promise<FirstFound<T>> {
  const found: FirstFound<T> = { first: undefined, shadowed: [] };
  for (const lookup of lookups) {
    if (found.first === undefined) {
      found.first = await lookup();
    } else if (options.withShadowed) {
      const other = await lookup().catch(() => undefined);
      if (other !== undefined) found.shadowed.push(other);
    }
  }
  return found;
}
