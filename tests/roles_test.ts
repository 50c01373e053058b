import { deepEqual } from "node:assert/strict";
import { ROLES } from "../lib/roles.ts";

Deno.test("the roles are those of the API document, the strongest first", () => {
  const expected =
    "owner, admin, developer, growth_specialist, operations, customer_support, read_only";
  deepEqual(ROLES.join(", "), expected);
});
