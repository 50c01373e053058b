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
  | "time"
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
  // It puts all of them together, and none of them loads it.
  root: [
    ...["contract", "records", "ledger", "outbound", "events", "store", "time"] as const,
    ...["http", "oauth", "routes", "sdk", "seed", "sim"] as const,
  ],
  time: [],
  store: [],
  // It reads all projects, and rows of every table.
  check: ["domain", "store"],
  domain: [],
  outbound: [],
  contract: ["store"],
  records: ["contract", "domain", "store"],
  events: ["contract", "outbound", "records", "store", "time"],
  ledger: ["contract", "domain", "events", "records", "store", "time"],
  reports: ["contract", "domain"],
  http: ["contract", "domain", "ledger", "records", "store", "time"],
  oauth: ["contract", "http", "records", "store", "time"],
  routes: [
    ...["contract", "domain", "events", "ledger"] as const,
    ...["outbound", "records", "reports", "sdk", "store"] as const,
  ],
  // What an app buys in a test store, the simulator sells.
  sdk: ["contract", "domain", "ledger", "records", "sim"],
  seed: ["domain", "ledger", "oauth", "records", "store"],
  // A population in a project that sells nothing buys what a new database would sell.
  sim: [
    ...["contract", "domain", "events", "http", "ledger"] as const,
    ...["oauth", "records", "seed", "store", "time"] as const,
  ],
};

/** The list of routes. */
const ROUTES = "lib/service/routes/mod.ts";

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
  return WING_DOORS[from].includes(to);
}

function isWing(name: string): name is Wing {
  return Object.hasOwn(WING_DOORS, name) && name !== "root";
}
