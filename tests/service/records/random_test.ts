import { deepEqual, equal, match, notDeepEqual } from "node:assert/strict";
import { newId, newRequestId } from "../../../lib/service/records/ids.ts";
import { newUuid, sourceOf, withIds } from "../../../lib/service/records/random.ts";
import { seededBytes } from "../../../lib/cli/scenario/stage.ts";

/** Ids of several kinds. */
function someIds(): string[] {
  const kinds = ["subscription", "delivery", "audit_log", "project"] as const;
  return [...kinds.map((kind) => newId(kind)), newUuid(), newRequestId()];
}

Deno.test("the same source makes the same ids, in each kind's own form", () => {
  const make = (seed: string) =>
    withIds(sourceOf(seededBytes(seed)), () => [...someIds(), ...someIds()]);
  const ids = make("a");
  deepEqual(make("a"), ids);
  notDeepEqual(make("b"), ids);
  equal(new Set(ids).size, ids.length);
  match(ids[0] ?? "", /^sub[0-9a-f]{10}$/);
  match(ids[4] ?? "", /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

Deno.test("simultaneous sources are independent", async () => {
  const make = (pauses: boolean) =>
    withIds(sourceOf(seededBytes("a")), async () => {
      const ids: string[] = [];
      for (let i = 0; i < 20; i++) {
        ids.push(newId("purchase"), newId("delivery"));
        if (pauses) await new Promise((resolve) => setTimeout(resolve, 0));
      }
      return ids;
    });
  const [one, other] = await Promise.all([make(true), make(true)]);
  deepEqual(one, await make(false));
  deepEqual(other, one);
});

Deno.test("without a source, ids differ", () => {
  const ids = Array.from({ length: 50 }, someIds).flat();
  equal(new Set(ids).size, ids.length);
});
