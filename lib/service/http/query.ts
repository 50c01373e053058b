/**
 * The values in the address of a request: those in its path, its parameters and its `expand`.
 *
 * @module
 */

import { validate } from "./body.ts";
import { invalid, malformed, Refusal } from "../contract/errors.ts";
import type { Actor, Call, Route } from "../contract/route.ts";
import { pageQuery } from "../contract/schemas.ts";
import { allows } from "../contract/scopes.ts";
import { sentQuery } from "./sent_address.ts";

/** A request's validated query, and the fields in its `expand`. */
type RequestQuery = Pick<Call, "query" | "expand">;

/** The validated queries of a route that most requests send: none, or a limit alone. */
const usualQueries = new WeakMap<Route, Map<string, object>>();

/** Those queries, of which there are few, so all that are valid can be kept; and the next pages. */
const USUAL = /^(?:(\?limit=\d{1,3})(?:&starting_after=([\w.*-]+))?)?$/;

/**
 * Validates the query of a request.
 *
 * @throws {Refusal} 400 for an unknown parameter or value, 403 for an `expand` without permission.
 */
export function queryOf(
  { route, request, actor }: { route: Route; request: Pick<Request, "url">; actor: Actor },
): RequestQuery {
  const sent = sentQuery(request.url);
  if (sent === "") return { query: { ...usualQuery(route, "") }, expand: NOTHING };
  const [whole, first = "", after] = USUAL.exec(sent) ?? [];
  if (whole !== undefined && (after === undefined || takesAnyItem(route))) {
    const query = usualQuery(route, first);
    return {
      query: after === undefined ? { ...query } : { ...query, starting_after: after },
      expand: NOTHING,
    };
  }
  const parameters = new URL(request.url).searchParams;
  checkQuery(parameters);
  const query = validate(route.query, Object.fromEntries(parameters));
  return { query, expand: expansions(parameters, route, actor) };
}

/** No fields to expand. */
const NOTHING: ReadonlySet<string> = new Set();

/** A usual query. It is validated once; requests get copies. */
function usualQuery(route: Route, search: string): object {
  const known = usualQueries.get(route) ?? new Map<string, object>();
  usualQueries.set(route, known);
  const present = known.get(search);
  if (present) return present;
  const query = validate(route.query, Object.fromEntries(new URLSearchParams(search)));
  known.set(search, query);
  return query;
}

/** Whether a route's list may start after any id, whatever its other parameters are. */
function takesAnyItem({ query }: Route): boolean {
  const { shape, def } = query;
  return shape["starting_after"] === pageQuery.shape.starting_after && !def.checks?.length;
}

/**
 * Checks the values in a query, as those in a path.
 *
 * @throws {Refusal} 400 for a NUL character.
 */
export function checkQuery(parameters: URLSearchParams): void {
  for (const [name, value] of parameters) {
    if (value.includes("\0")) throw invalid(name, `'${name}' contains a NUL character`);
  }
}

/**
 * Checks the values in a path. PostgreSQL can neither hold nor look up a NUL.
 *
 * @throws {Refusal} 400 for a NUL character.
 */
export function checkPath(params: Readonly<Record<string, string>>): void {
  for (const name in params) {
    if (params[name]?.includes("\0")) throw malformed("The path contains a NUL character");
  }
}

/** The fields in `expand`, repeated or comma-separated. Each must be known and permitted. */
function expansions(
  parameters: URLSearchParams,
  route: Route,
  actor: Actor,
): ReadonlySet<string> {
  const asked = parameters.getAll("expand").flatMap((value) => value.split(","));
  for (const part of asked) {
    const scopes = route.expand.get(part);
    if (scopes === undefined) {
      const known = [...route.expand.keys()].join(", ") || "nothing";
      throw invalid("expand", `'expand' cannot be ${JSON.stringify(part)} here; it takes ${known}`);
    }
    const scope = scopes.find((needed) => !allows(actor.scope, needed));
    if (scope !== undefined) {
      const message = `Expanding "${part}" needs the permission "${scope}"`;
      throw new Refusal(403, "authorization_error", message, { missing_scopes: [scope] });
    }
  }
  return new Set(asked);
}
