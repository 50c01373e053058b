/**
 * Finds the operations to which a file sends requests, by the functions that it calls.
 *
 * @module
 */

/** The names of functions that a file calls. */
export interface Requests {
  /** Those of the API. */
  api: string[];
  /** Those of the simulator. Some have the name of one of the API. */
  simulator: string[];
}

const MODULES = /^import \* as (\w+) from "(?:\.\.\/)+(mod\.ts|lib\/simulator\/\w+\.ts)";$/gm;

/** Whether a file sends the requests. They need what `every_operation_stock.ts` makes before. */
export function sendsRequests(path: string): boolean {
  return /\/every_operation_(?!stock\.)\w+\.ts$/.test(path);
}

/** The functions that a file calls on modules: `api.listApps(client)`. */
export function requestsIn(text: string): Requests {
  const found: Requests = { api: [], simulator: [] };
  const code = text.replace(/^\s*(?:\/?\*|\/\/).*$/gm, "");
  for (const [, module, from] of code.matchAll(MODULES)) {
    const names = from === "mod.ts" ? found.api : found.simulator;
    const calls = code.matchAll(new RegExp(`(?<![\\w.])${module}\\.(\\w+)\\(`, "g"));
    for (const [, name = ""] of calls) names.push(name);
  }
  return found;
}
