import { deepEqual } from "node:assert/strict";
import { adminRoutes } from "../../../lib/service/sim/routes.ts";
import { BASE_URL, openDesk } from "../../support/harness.ts";

Deno.test("a route outside of projects takes no query, and refuses an unknown parameter", async () => {
  await using desk = await openDesk();
  const headers = {
    "Authorization": `Bearer ${desk.service.adminSecret}`,
    "Content-Type": "application/json",
  };
  for (const { method, path } of adminRoutes) {
    const address = `${BASE_URL}${path.replace(/\{\w+\}/g, "x")}?limit=1`;
    const body = method === "POST" ? "{}" : null;
    const response = await desk.service.fetch(new Request(address, { method, headers, body }));
    const { param } = await response.json();
    deepEqual([response.status, param], [400, "limit"], `${method} ${path}`);
  }
});
