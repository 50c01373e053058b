/**
 * A fixed request to each operation, beside two projects with equal keys. `tenancy_test.ts` does so
 * with requests at random, of which not all succeed.
 */

import { deepEqual, ok } from "node:assert/strict";
import { createClient } from "../../lib/client.ts";
import { operationOf, operations } from "../support/every_operation.ts";
import { requestCatalogue } from "../support/every_operation_catalogue.ts";
import { requestCustomers, requestOfApps } from "../support/every_operation_customers.ts";
import {
  requestEvents,
  requestOfProject,
  requestOfService,
  requestSales,
  requestTime,
} from "../support/every_operation_simulator.ts";
import { layInEverything } from "../support/every_operation_stock.ts";
import { BASE_URL, openDesk } from "../support/harness.ts";
import { CHEAP } from "../support/password_fixture.ts";
import {
  checkUntouched,
  copyProject,
  MARK,
  moveBehind,
  rowsOfProject,
  TWINS,
} from "../support/twin_project.ts";

/** All requests, in an order in which each finds what it needs. */
const REQUESTS = [
  requestOfApps,
  requestOfProject,
  requestSales,
  requestEvents,
  requestCustomers,
  requestCatalogue,
  requestTime,
  requestOfService,
];

Deno.test("each operation succeeds, and leaves projects with the same keys alone", async () => {
  const done = new Set<string>();
  await using receiver = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response(),
  );
  const options = { buyers: false, webhookTargets: "loopback", signIn: CHEAP } as const;
  await using desk = await openDesk(options);
  const { service, projectId } = desk;
  const { store } = service;
  const client = createClient({
    baseUrl: BASE_URL,
    credential: (await service.oauth.issueToken()).access_token,
    projectId,
    async fetch(request) {
      const response = await service.fetch(request);
      const operation = operationOf(request) ?? "";
      if (response.status < 400) done.add(operation);
      ok(!(await response.clone().text()).includes(MARK), `${operation} shows another project`);
      return response;
    },
  });
  // Other tests hold the answers against the document.
  const at = `http://127.0.0.1:${receiver.addr.port}/`;
  const stock = await layInEverything({ ...desk, client }, at);
  const now = Date.now();
  for (const id of Object.values(TWINS)) await copyProject(store, projectId, { id, now });
  await moveBehind(store, projectId);
  const before = new Map<string, Record<string, string>>();
  for (const id of Object.values(TWINS)) before.set(id, await rowsOfProject(store, id));

  done.clear();
  for (const request of REQUESTS) {
    await request(stock);
    for (const [id, rows] of before) await checkUntouched(store, id, rows, request.name);
  }
  deepEqual(operations.filter((operation) => !done.has(operation)), []);
  await service.deliverer.idle();
  for (const [id, rows] of before) await checkUntouched(store, id, rows);
});
