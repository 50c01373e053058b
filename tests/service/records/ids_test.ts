import { deepEqual, equal, match, notEqual, ok } from "node:assert/strict";
import { newId, newRequestId, newToken, sha256Hex } from "../../../lib/service/records/ids.ts";
import { sourceOf, withIds } from "../../../lib/service/records/random.ts";

Deno.test("ids have their kind's prefix and number of digits", () => {
  match(newId("project"), /^proj[0-9a-f]{8}$/);
  match(newId("app"), /^app[0-9a-f]{10}$/);
  match(newId("product"), /^prod[0-9a-f]{10}$/);
  match(newId("entitlement"), /^entl[0-9a-f]{10}$/);
  match(newId("offering"), /^ofrng[0-9a-f]{10}$/);
  match(newId("package"), /^pkge[0-9a-f]{10}$/);
  match(newId("paywall"), /^pw[0-9a-f]{16}$/);
  match(newId("audit_log"), /^log[0-9a-f]{16}$/);
  match(newId("collaborator"), /^collab[0-9a-f]{10}$/);
});

Deno.test("ids do not repeat", () => {
  const ids = new Set(Array.from({ length: 1_000 }, () => newId("offering")));
  equal(ids.size, 1_000);
});

Deno.test("ids of objects that follow each other share first digits, differ in the last, and never repeat", () => {
  // With random bytes two clusters may begin alike.
  const source = sourceOf((count) => Uint8Array.from({ length: count }, (_, i) => i * 37));
  for (const [kind, shared] of [["offering", "ofrng".length + 4], ["paywall", 12]] as const) {
    const ids = Array.from({ length: 1000 }, () => withIds(source, () => newId(kind)));
    equal(new Set(ids).size, ids.length);
    const starts = ids.map((id) => id.slice(0, shared));
    const changes = starts.filter((start, i) => i > 0 && start !== starts[i - 1]).length;
    ok(changes >= 3 && changes <= 4, `${changes} changes of the first digits`);
    const next = new Set(ids.map((id) => id.at(shared)));
    equal(next.size, 16, `${[...next]} follow the shared digits`);
  }
});

Deno.test("ids that apps see of their users' purchases say nothing about others", () => {
  for (const [kind, prefix] of [["subscription", "sub"], ["purchase", "purc"]] as const) {
    const starts = Array.from({ length: 50 }, () => newId(kind).slice(0, prefix.length + 4));
    ok(new Set(starts).size > 40, starts.join());
  }
});

Deno.test("ids of audit entries and deliveries ascend within a process", () => {
  for (const kind of ["audit_log", "delivery"] as const) {
    const ids = Array.from({ length: 300 }, () => newId(kind));
    deepEqual(ids.toSorted(), ids);
    equal(new Set(ids).size, 300);
  }
});

Deno.test("ids of requests have one length and do not repeat", () => {
  const ids = Array.from({ length: 300 }, newRequestId);
  equal(new Set(ids).size, 300);
  for (const id of ids) match(id, /^req[0-9a-f]{16}$/);
});

Deno.test("a token has 256 bits, in characters for URLs and headers", () => {
  const token = newToken("rtk_");
  match(token, /^rtk_[A-Za-z0-9_-]{43}$/);
  notEqual(token, newToken("rtk_"));
  ok(newToken("atk_").startsWith("atk_"));
});

Deno.test("the hash is SHA-256 of the UTF-8 bytes", () => {
  equal(
    sha256Hex("abc"),
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  );
  equal(
    sha256Hex("é"),
    "4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c",
  );
});
