import { deepEqual, equal, match, notEqual, ok } from "node:assert/strict";
import {
  datedHex,
  derivedUuid,
  isAble,
  managementUrl,
  oneGroupPerApp,
  periodIn,
  platformOf,
  refundsByApi,
  reportedPlatform,
  type StoreAbility,
  transactionId,
} from "../../../lib/service/domain/stores.ts";

Deno.test("each store has the platform of its customers, and others have none", () => {
  const stores = [
    "app_store",
    "mac_app_store",
    "play_store",
    "amazon",
    "roku",
    "stripe",
    "svc_billing",
    "paddle",
    "promotional",
    "test_store",
  ];
  deepEqual(stores.map((store) => [store, platformOf(store)]), [
    ["app_store", "iOS"],
    ["mac_app_store", "macOS"],
    ["play_store", "Android"],
    ["amazon", "Android"],
    ["roku", "Roku"],
    ["stripe", "Web"],
    ["svc_billing", "Web"],
    ["paddle", "Web"],
    ["promotional", "Other"],
    ["test_store", "Other"],
  ]);
});

Deno.test("each store has its page to manage subscriptions", () => {
  const pages = (stores: string[]) => stores.map((store) => managementUrl(store, "sub1"));
  deepEqual(pages(["app_store", "mac_app_store", "play_store", "amazon", "roku", "svc_billing"]), [
    "https://apps.apple.com/account/subscriptions",
    "https://apps.apple.com/account/subscriptions",
    "https://play.google.com/store/account/subscriptions",
    "https://www.amazon.com/yourmembershipsandsubscriptions",
    "https://my.roku.com/account/subscriptions",
    "https://billing.invalid/manage/sub1",
  ]);
  deepEqual(pages(["stripe", "paddle", "promotional", "test_store", "other"]), Array(5).fill(null));
});

Deno.test("each store can do what it can, and the test store everything", () => {
  const stores = ["app_store", "mac_app_store", "play_store", "amazon", "roku", "stripe"];
  const more = ["svc_billing", "paddle", "promotional"];
  const able = (ability: StoreAbility) => {
    ok(isAble("test_store", ability), ability);
    return [...stores, ...more].filter((store) => isAble(store, ability));
  };
  const apple = ["app_store", "mac_app_store"];
  deepEqual(able("uncancel"), [...apple, "play_store", "amazon", "roku", "svc_billing"]);
  deepEqual(able("pause"), ["play_store"]);
  deepEqual(able("change_product"), [...apple, "play_store", "stripe"]);
  deepEqual(able("extend"), [...apple, "play_store", "amazon", "stripe"]);
  deepEqual(able("reverse_refund"), apple);
  deepEqual(able("family_share"), apple);
  deepEqual(able("bring_currency"), [...apple, "play_store", "stripe", "svc_billing"]);
  deepEqual(able("grant_temporarily"), [...apple, "play_store"]);
  deepEqual([...stores, ...more].filter(oneGroupPerApp), apple);
  deepEqual([...stores, ...more].filter(refundsByApi), ["play_store", "svc_billing"]);
  ok(refundsByApi("test_store"));
});

Deno.test("an app reports Android and the web in small letters", () => {
  const stores = ["app_store", "mac_app_store", "play_store", "amazon", "roku", "paddle"];
  deepEqual(stores.map(reportedPlatform), ["iOS", "macOS", "android", "android", "Roku", "web"]);
});

Deno.test("ids of one day begin with the same digits, those of the next day with later ones", () => {
  const begin = (at: number) => datedHex("text", at, 20).slice(0, 4);
  const day = Date.UTC(2026, 0, 31);
  equal(begin(day), begin(day + 86_399_999));
  ok(begin(day - 1) < begin(day) && begin(day) < begin(day + 86_400_000));
  equal(datedHex("text", day, 20).length, 20);
});

Deno.test("derived ids repeat, differ by number, and those of a later day sort last", () => {
  const early = Date.UTC(2026, 0, 31, 12);
  const late = Date.UTC(2026, 1, 1, 1);
  for (const store of ["svc_billing", "stripe", "paddle", "test_store"]) {
    const owner = { project_id: "proj1ab2c3d4", id: "sub1ab2c3d4e5", store };
    const idAt = (at: number) => {
      const ids = Array.from({ length: 50 }, (_, number) => transactionId(owner, { number, at }));
      deepEqual(ids, ids.map((_, number) => transactionId(owner, { number, at })));
      equal(new Set(ids).size, 50);
      return ids;
    };
    const [before, after] = [idAt(early), idAt(late)];
    deepEqual([...before, ...after].sort(), [...before.sort(), ...after.sort()]);
  }
  const events = [early, late].map((at) =>
    Array.from({ length: 50 }, (_, i) => derivedUuid(`proj1ab2c3d4/sub1/${i}`, at)).sort()
  );
  for (const id of events.flat()) {
    match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
  deepEqual(events.flat().toSorted(), events.flat());
  // A clock may stand at any moment: an id is well formed there, too.
  for (const at of [0, Date.UTC(2149, 5, 7), Date.UTC(9999, 11, 31)]) {
    match(derivedUuid("a", at), /^[0-9a-f]{8}-/);
    notEqual(derivedUuid("a", at), derivedUuid("b", at));
  }
});

Deno.test("periods are shorter in the test store only", () => {
  const periods = ["P1W", "P1M", "P2M", "P3M", "P6M", "P1Y"];
  const inTestStore = ["PT5M", "PT5M", "PT10M", "PT15M", "PT30M", "PT60M"];
  deepEqual(periods.map((one) => periodIn("test_store", one)), inTestStore);
  deepEqual(periods.map((one) => periodIn("app_store", one)), periods);
});
