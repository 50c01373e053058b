/**
 * Settings come from several places, of which the first that has one counts. Later places are
 * looked at only by a command that shows what is shadowed, so others do not pay for them.
 *
 * @module
 */

/** Where a setting comes from. */
export interface Origin<Kind extends string> {
  /** The sort of place. */
  kind: Kind;
  /** The place by name: an option, a variable or a file's path. */
  source: string;
}

/** A place to look for a setting. */
export type Lookup<T> = () => Promise<T | undefined>;

/** A setting that was found, and the same setting from places that come after. */
interface FirstFound<T> {
  /** What counts. */
  first: T | undefined;
  /** What does not count because of it. Empty unless it was asked for. */
  shadowed: T[];
}

/**
 * Looks in one place after the other. An error ends the search at places that come before the first
 * find; what is wrong with a place that would not count anyway does not matter.
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
