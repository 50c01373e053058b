import { deepEqual, equal, match } from "node:assert/strict";
import { apiOf } from "../../support/api.ts";
import { openDesk } from "../../support/harness.ts";

Deno.test("collaborators are the owner and pending invitations", async () => {
  await using desk = await openDesk();
  const list = await apiOf(desk).get("/collaborators");
  equal(list.next_page, null);
  const [owner, pending, ...others] = list.items;
  match(owner?.id ?? "", /^collab[0-9a-f]{10}$/);
  deepEqual({ ...owner, id: 0, accepted_at: typeof owner?.accepted_at }, {
    object: "collaborator",
    id: 0,
    name: "Olivia Owner",
    email: "owner@example.com",
    role: "owner",
    accepted_at: "number",
    has_mfa: false,
  });
  deepEqual({ ...pending, id: 0 }, {
    object: "collaborator",
    id: 0,
    name: null,
    email: "support@example.com",
    role: "customer_support",
    accepted_at: null,
    has_mfa: false,
  });
  deepEqual(others, []);
});

Deno.test("collaborators can only be read", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const { items: [owner] } = await api.get("/collaborators");
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    const answer = await api.send(method, "/collaborators");
    deepEqual([answer.status, answer.headers.get("Allow")], [405, "GET"], method);
    equal((await api.send(method, `/collaborators/${owner?.id}`)).status, 404);
  }
});
