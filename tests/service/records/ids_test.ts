import { deepEqual, equal, match, notEqual, ok } from "node:assert/strict";
import { newId, newRequestId, newToken, sha256Hex } from "../../../lib/service/records/ids.ts";
import { sourceOf, withIds } from "../../../lib/service/records/random.ts";

Deno.test("ids have their kind's prefix and number of digits", () => {
  const shapes = [
    ...[["project", "proj", 8], ["app", "app", 10], ["product", "prod", 10]] as const,
    ...[["entitlement", "entl", 10], ["offering", "ofrng", 10], ["package", "pkge", 10]] as const,
    ...[["paywall", "pw", 16], ["subscription", "sub", 10], ["purchase", "purc", 10]] as const,
    ...[["audit_log", "log", 16], ["collaborator", "collab", 10]] as const,
    ...[["public_api_key", "apikey", 10], ["webhook_integration", "whintgr", 10]] as const,
    ...[["delivery", "dlv", 16], ["account", "acct", 10], ["grant", "grant", 16]] as const,
  ];
  for (const [kind, prefix, digits] of shapes) {
    match(newId(kind), new RegExp(`^${prefix}[0-9a-f]{${digits}}$`), kind);
  }
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
  equal(new Set(ids.map((id) => id.slice(0, -8))).size, 1, "they begin with the process");
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
