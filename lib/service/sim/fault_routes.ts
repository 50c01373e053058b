/**
 * The faults of requests: listing, adding and clearing them.
 *
 * @module
 */

import { wholeList } from "../records/lists.ts";
import { type Fault, newFault } from "./new_fault.ts";
import { pageOf } from "../contract/schemas.ts";
import type { RequestFault } from "../../simulator/faults.ts";
import { requestFault } from "./answers.ts";
import { adminRoute } from "./route.ts";

const listFaults = adminRoute({
  name: "listRequestFaults",
  summary: "Lists the pending faults of requests.",
  method: "GET",
  path: "/_sim/faults",
  response: pageOf(requestFault),
}, async ({ url, faults }) => wholeList(url, (await faults.list()).map(show)));

const addFault = adminRoute({
  name: "addRequestFault",
  summary: "Makes the next matching requests fail, slow down or disconnect.",
  method: "POST",
  path: "/_sim/faults",
  body: newFault,
  response: requestFault,
  status: 201,
}, async ({ faults, body }) => {
  const fault = body();
  await faults.add(fault);
  return show(fault);
});

const clearFaults = adminRoute({
  name: "clearRequestFaults",
  summary: "Clears the faults of requests.",
  method: "DELETE",
  path: "/_sim/faults",
  response: pageOf(requestFault),
}, async ({ url, faults }) => {
  await faults.clear();
  return wholeList(url, (await faults.list()).map(show));
});

/** The routes of faults of requests. */
export const faultRoutes = [listFaults, addFault, clearFaults];

/** A fault in an answer. */
function show(fault: Fault): RequestFault {
  return { object: "fault", ...fault };
}
