import { deepEqual } from "node:assert/strict";
import { faultOf, faultOfOutage } from "../../../lib/service/contract/fault.ts";

Deno.test("after an outage a caller tries again in a second, on a full disk in ten", () => {
  const full = faultOfOutage({ failure: "full", cause: "the disk is full" });
  deepEqual(full, {
    status: 507,
    message: "The service cannot use its database: the disk is full",
    backoff_ms: 10_000,
    headers: { "Retry-After": "10" },
  });
  const busy = faultOfOutage({ failure: "busy", cause: "it is busy" });
  deepEqual([busy.status, busy.backoff_ms, busy.headers], [503, 1000, { "Retry-After": "1" }]);
});

Deno.test("an error that is no outage is reported, and its answer says nothing about it", () => {
  const reported: unknown[] = [];
  const error = new Error("secret");
  const fault = faultOf(error, (one) => reported.push(one));
  deepEqual(fault, { status: 500, message: "The service failed; see its log", headers: {} });
  deepEqual(reported, [error]);
});
