/**
 * The wings of the rooms that have several, and the doors between them: whose code may load whose.
 * Types are free. `imports.ts` enforces these tables; ARCHITECTURE.md tells what is in each wing.
 *
 * @module
 */

/** A part of the tree that has wings. */
export type House = "lib/service" | "lib/cli" | "lib/scenario";

/** For each wing, those whose code it may load. `root` is what lies in the house itself. */
type WingDoors = Readonly<Record<string, readonly string[]>>;

/** The tables. What is not listed is closed, and no wing leads back to itself. */
export const WING_DOORS: Readonly<Record<House, WingDoors>> = {
  "lib/service": {
    // It puts all of them together, and none of them loads it.
    root: [
      ...["contract", "records", "ledger", "outbound", "events", "store", "time"],
      ...["http", "oauth", "routes", "sdk", "seed", "sim"],
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
    reports: ["contract", "domain", "store"],
    http: ["contract", "domain", "ledger", "records", "store", "time"],
    oauth: ["contract", "http", "records", "store", "time"],
    routes: [
      ...["contract", "domain", "events", "ledger"],
      ...["outbound", "records", "reports", "sdk", "store"],
    ],
    // What an app buys in a test store, the simulator sells.
    sdk: ["contract", "domain", "ledger", "records", "sim"],
    seed: ["domain", "ledger", "oauth", "records", "store"],
    // A population in a project that sells nothing buys what a new database would sell.
    sim: [
      ...["contract", "domain", "events", "http", "ledger"],
      ...["oauth", "records", "seed", "store", "time"],
    ],
  },
  "lib/cli": {
    // From arguments to exit code; all others get its context as an argument.
    root: ["commands", "completion", "data", "input", "screen", "words"],
    screen: [],
    folder: [],
    input: ["screen"],
    data: ["screen"],
    charts: ["screen"],
    words: ["data", "input", "screen"],
    local: ["input", "screen", "words"],
    checks: ["folder", "local", "screen"],
    events: ["local"],
    scenario: ["data", "local", "screen"],
    commands: [
      ...["charts", "checks", "data", "events", "folder"],
      ...["input", "local", "scenario", "screen", "words"],
    ],
    completion: ["commands", "events", "screen", "words"],
  },
  "lib/scenario": {
    values: [],
    stories: [],
    deeds: ["values"],
    file: ["deeds", "values"],
    run: ["deeds", "file", "values"],
    record: ["deeds", "file", "run", "values"],
    verify: ["deeds", "file", "run", "stories"],
  },
};

/** The list of routes. */
const ROUTES = "lib/service/routes/mod.ts";

/** The house and the wing of a file; undefined outside of houses. A new folder has no doors yet. */
export function wingOf(path: string): { house: House; wing: string } | undefined {
  const [top, room, wing = "", file] = path.split("/", 4);
  const house = `${top}/${room}`;
  if (!isHouse(house) || wing === "") return undefined;
  return { house, wing: file === undefined ? "root" : wing };
}

/** The wings that a file may load besides its own; undefined if its wing is not in the table. */
export function openDoors(path: string): readonly string[] | undefined {
  const from = wingOf(path);
  if (from === undefined || !Object.hasOwn(WING_DOORS[from.house], from.wing)) return undefined;
  return WING_DOORS[from.house][from.wing];
}

/** Whether a file may load the code of another one in the same house. */
export function isOpenDoor(path: string, target: string): boolean {
  const [from, to] = [wingOf(path), wingOf(target)];
  const doors = openDoors(path);
  if (doors === undefined || from === undefined || from.house !== to?.house) return false;
  // A route is nobody's helper: only the list of routes knows the files of routes.
  if (target.startsWith("lib/service/routes/") && target !== ROUTES) return path === ROUTES;
  return from.wing === to.wing || doors.includes(to.wing);
}

function isHouse(name: string): name is House {
  return Object.hasOwn(WING_DOORS, name);
}
