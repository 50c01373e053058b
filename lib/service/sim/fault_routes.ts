/**
 * The faults of requests: to list, add and clear them.
 *
 * @module
 */

import { wholeList } from "../records/lists.ts";
import { type Fault, newFault } from "./faults.ts";
import { adminRoute } from "./route.ts";

const listFaults = adminRoute({
  summary: "Lists the faults of requests that are still to come.",
  method: "GET",
  path: "/_sim/faults",
}, async ({ url, faults }) => wholeList(url, faults.list().map(show)));

const addFault = adminRoute({
  summary: "Makes the next matching requests fail, slow down or disconnect.",
  method: "POST",
  path: "/_sim/faults",
  body: newFault,
  status: 201,
}, async ({ faults, body }) => {
  const fault = body();
  faults.add(fault);
  return show(fault);
});

const clearFaults = adminRoute({
  summary: "Clears the faults of requests.",
  method: "DELETE",
  path: "/_sim/faults",
}, async ({ url, faults }) => {
  faults.clear();
  return wholeList(url, faults.list().map(show));
});

/** The routes of faults of requests. */
export const faultRoutes = [listFaults, addFault, clearFaults];

/** A fault as it is shown. */
function show(fault: Fault): Record<string, unknown> {
  return { object: "fault", ...fault };
}
