import { deepEqual } from "node:assert/strict";
import { givesAccess } from "../../../lib/service/domain/access.ts";

Deno.test("access begins with the first millisecond of a period, and ends before its last", () => {
  const row = {
    status: "active",
    starts_at: 1000,
    period_ends_at: 2000,
    renewed_until: null,
    grace_ends_at: null,
  } as const;
  const given = (one: Parameters<typeof givesAccess>[0]) =>
    [999, 1000, 1999, 2000, 2999, 3000].filter((now) => givesAccess(one, now));
  deepEqual(given(row), [1000, 1999]);
  deepEqual(given({ ...row, renewed_until: 3000 }), [1000, 1999, 2000, 2999]);
  deepEqual(given({ ...row, grace_ends_at: 3000 }), [1000, 1999, 2000, 2999]);
  deepEqual(given({ ...row, period_ends_at: null }), [1000, 1999, 2000, 2999, 3000]);
  deepEqual(given({ ...row, status: "expired" }), []);
});
