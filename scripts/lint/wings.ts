/**
 * The wings of the service and the doors between them: whose code may load whose. Types are free.
 * `imports.ts` enforces this table; ARCHITECTURE.md tells what is in each wing.
 *
 * @module
 */

/** A part of `lib/service/`. `root` is what lies there itself. */
export type Wing =
  | "root"
  | "http"
  | "contract"
  | "records"
  | "ledger"
  | "domain"
  | "outbound"
  | "events"
  | "oauth"
  | "reports"
  | "store"
  | "check"
  | "seed"
  | "sim"
  | "sdk"
  | "routes";

/** The table. What is not listed is closed. */
export const WING_DOORS: Readonly<Record<Wing, readonly Wing[]>> = {
  // clock.ts reaches every wing; mod.ts puts all of them together.
  root: [
    ...["contract", "records", "ledger", "outbound", "events", "store"] as const,
    ...["http", "oauth", "routes", "sdk", "seed", "sim"] as const,
  ],
  store: [],
  // It reads all projects, and rows of every table.
  check: ["domain", "store"],
  domain: [],
  outbound: [],
  contract: ["store"],
  records: ["contract", "domain", "store"],
  events: ["contract", "outbound", "records", "store"],
  ledger: ["contract", "domain", "events", "records", "store"],
  reports: ["contract", "domain"],
  http: ["contract", "domain", "ledger", "records", "store"],
  oauth: ["contract", "http", "records", "store"],
  routes: [
    ...["contract", "domain", "events", "ledger"] as const,
    ...["outbound", "records", "reports", "sdk", "store"] as const,
  ],
  // What an app buys in a test store, the simulator sells.
  sdk: ["contract", "domain", "ledger", "records", "sim"],
  seed: ["domain", "ledger", "oauth", "records", "store"],
  // A population in a project that sells nothing buys what a new database would sell.
  sim: ["contract", "domain", "events", "http", "ledger", "oauth", "records", "seed", "store"],
};

/** The list of routes. */
const ROUTES = "lib/service/routes/mod.ts";

/** Files of the root that wings may load besides. */
const ROOT_DOORS: Readonly<Record<string, readonly Wing[]>> = {
  "lib/service/clock.ts": ["http", "ledger", "events", "oauth", "sim"],
  "lib/service/mod.ts": ["http"],
};

/** The wing that a file of the repository is in, if it is in the service. */
export function wingOf(path: string): Wing | undefined {
  if (!path.startsWith("lib/service/")) return undefined;
  const [wing = "", file] = path.slice("lib/service/".length).split("/", 2);
  if (file === undefined) return "root";
  return isWing(wing) ? wing : undefined;
}

/** Whether a file of the service may load the code of another. A new folder has no doors yet. */
export function isOpenDoor(path: string, target: string): boolean {
  const [from, to] = [wingOf(path), wingOf(target)];
  if (from === undefined || to === undefined) return false;
  // A route is nobody's helper: only the list of routes knows the files of routes.
  if (to === "routes" && target !== ROUTES) return path === ROUTES;
  if (from === to) return true;
  if (to === "root") return ROOT_DOORS[target]?.includes(from) ?? false;
  return WING_DOORS[from].includes(to);
}

function isWing(name: string): name is Wing {
  return Object.hasOwn(WING_DOORS, name) && name !== "root";
}
