import { deepEqual } from "node:assert/strict";
import { allows, isScope } from "../../../lib/service/contract/scopes.ts";

Deno.test("a permission is allowed by itself, a higher level and a wider name, and by nothing else", () => {
  const needed = "project_configuration:apps:read";
  const granted = [
    needed,
    "project_configuration:apps:read_write",
    "project_configuration:*:read",
    "*:*:read_write",
    "customer_information:customers:read project_configuration:apps:read",
  ];
  deepEqual(granted.map((one) => allows(one, needed)), granted.map(() => true));
  const others = [
    "",
    "project_configuration:offerings:read",
    "customer_information:apps:read",
    "customer_information:*:read_write",
  ];
  deepEqual(others.map((one) => allows(one, needed)), others.map(() => false));
  const writing = "project_configuration:apps:read_write";
  deepEqual([needed, writing].map((one) => allows(one, writing)), [false, true]);
});

Deno.test("a name is a permission when each of its parts is one, or a star", () => {
  const known = ["project_configuration:apps:read", "project_configuration:*:read", "*:*:read"];
  deepEqual(known.map(isScope), known.map(() => true));
  const unknown = [
    "project_configuration:apps:write",
    "project_configuration:nothing:read",
    "nothing:apps:read",
    "project_configuration:apps:read:more",
    "project_configuration:apps:*",
    "",
  ];
  deepEqual(unknown.map(isScope), unknown.map(() => false));
});
