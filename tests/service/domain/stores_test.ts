import { deepEqual } from "node:assert/strict";
import { platformOf } from "../../../lib/service/domain/stores.ts";

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
