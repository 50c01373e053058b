/**
 * Finds the route of a method and path. The paths of routes have values in braces:
 * `/offerings/{id}`. A literal segment has precedence over a value, in any order of the routes.
 *
 * @module
 */

/** The method and path that a route answers. */
export interface Endpoint {
  /** The HTTP method. */
  readonly method: string;
  /** The path template from the root. */
  readonly path: string;
}

/** The match for a path. */
interface Match<R> {
  /** The route of the method, if the path has that method. */
  route: R | undefined;
  /** The values in the path, decoded. */
  params: Record<string, string>;
  /** The routes of the path, one for each method, in their order. */
  routes: ReadonlyMap<string, R>;
}

/** Looks up a method and an encoded path. Undefined when no route has the path. */
type Matcher<R> = (method: string, pathname: string) => Match<R> | undefined;

/** A segment of the templates, with the segments after it. */
interface Node<R> {
  /** The next segments that are literal. */
  literals: Map<string, Node<R>>;
  /** The next segment that is a value. */
  value: Node<R> | undefined;
  /** The routes that end here. */
  routes: Map<string, R>;
  /** The names of the values up to here, by method. Each template has its own names. */
  names: Map<string, string[]>;
}

/** How paths are parsed. */
export interface MatcherOptions {
  /** Whether a value may be empty. Default false: no route matches such a path. */
  emptyValues?: boolean | undefined;
}

/** Makes a matcher of routes. */
export function createMatcher<R>(
  routes: readonly R[],
  endpointOf: (route: R) => Endpoint,
  { emptyValues = false }: MatcherOptions = {},
): Matcher<R> {
  const root = newNode<R>();
  for (const route of routes) addRoute(root, route, endpointOf(route));
  return (method, pathname) => {
    const segments = segmentsOf(pathname);
    if (!segments) return undefined;
    const search: Search<R> = { method, segments, values: [], other: undefined, emptyValues };
    // The first segment is the nothing before the first slash.
    return walk(search, root, 1) ?? search.other;
  };
}

/** The search for one path. */
interface Search<R> {
  /** The method. */
  method: string;
  /** The segments of the path, decoded. */
  segments: readonly string[];
  /** The values on the way to a node. */
  values: string[];
  /** A match of the path with other methods. */
  other: Match<R> | undefined;
  /** Whether a value may be empty. */
  emptyValues: boolean;
}

/** Finds the rest of a path behind a node. */
function walk<R>(search: Search<R>, node: Node<R>, at: number): Match<R> | undefined {
  const { method, segments, values } = search;
  const segment = segments[at];
  if (segment === undefined) {
    const { routes } = node;
    if (routes.size === 0) return undefined;
    const route = routes.get(method);
    if (route !== undefined) {
      return { route, params: paramsOf(node.names.get(method), values), routes };
    }
    search.other ??= { route, params: {}, routes };
    return undefined;
  }
  // To look up a text takes longer than all else here, and many nodes have nothing but a value.
  const literal = node.literals.size > 0 ? node.literals.get(segment) : undefined;
  const found = literal && walk(search, literal, at + 1);
  if (found || !node.value || segment === "" && !search.emptyValues) return found;
  values.push(segment);
  const behind = walk(search, node.value, at + 1);
  values.pop();
  return behind;
}

function newNode<R>(): Node<R> {
  return { literals: new Map(), value: undefined, routes: new Map(), names: new Map() };
}

function addRoute<R>(root: Node<R>, route: R, { method, path }: Endpoint): void {
  let node = root;
  const names: string[] = [];
  for (const segment of path.split("/").slice(1)) {
    const [, name] = /^\{(\w+)\}$/.exec(segment) ?? [];
    if (name !== undefined) {
      names.push(name);
      node = node.value ??= newNode();
    } else {
      const next = node.literals.get(segment) ?? newNode<R>();
      node.literals.set(segment, next);
      node = next;
    }
  }
  // The first route of a method and path wins.
  if (node.routes.has(method)) return;
  node.routes.set(method, route);
  node.names.set(method, names);
}

/** What lies between the slashes of a path, decoded; undefined for an invalid percent-encoding. */
function segmentsOf(pathname: string): string[] | undefined {
  const segments = pathname.split("/");
  if (!pathname.includes("%")) return segments;
  try {
    return segments.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function paramsOf(names: readonly string[] = [], values: readonly string[]) {
  const params: Record<string, string> = {};
  let i = 0;
  for (const name of names) params[name] = values[i++] ?? "";
  return params;
}
