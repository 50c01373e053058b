/**
 * The names that the public API has for what the specification calls otherwise. Wherever one of ours
 * is taken, the public one is taken too.
 *
 * @module
 */

/** The store and type of app of web billing: our name. */
export const BILLING = "svc_billing";

/** The same by its public name. */
export const PUBLIC_BILLING = "rc_billing";

/** Our name of a store or type of app, whichever it was given by. */
export function ownStore(name: string): string {
  return name === PUBLIC_BILLING ? BILLING : name;
}
