import { deepEqual } from "node:assert/strict";
import {
  ownStore,
  publicAnswer,
  publicEvent,
  publicStore,
  spellingsOfKey,
  spellingsOfPackage,
} from "../../../lib/service/contract/spelling.ts";

Deno.test("names have two spellings, and others one", () => {
  deepEqual(["svc_billing", "rc_billing", "stripe"].map(ownStore), [
    "svc_billing",
    "svc_billing",
    "stripe",
  ]);
  deepEqual(["svc_billing", "rc_billing", "stripe"].map(publicStore), [
    "rc_billing",
    "rc_billing",
    "stripe",
  ]);
  deepEqual(spellingsOfKey("svcb_a"), ["svcb_a", "rcb_a"]);
  deepEqual(spellingsOfKey("rcb_a"), ["rcb_a", "svcb_a"]);
  deepEqual(spellingsOfKey("test_a"), ["test_a"]);
  deepEqual(spellingsOfPackage("$svc_annual"), ["$svc_annual", "$rc_annual"]);
  deepEqual(spellingsOfPackage("$rc_annual"), ["$rc_annual", "$svc_annual"]);
  deepEqual(spellingsOfPackage("annual"), ["annual"]);
});

Deno.test("a public answer keeps the content that callers chose", () => {
  const content = { object: "purchase", store: "svc_billing" };
  const spelled = { object: "purchase", store: "rc_billing" };
  deepEqual(publicAnswer({ items: [content] }), { items: [spelled] });
  const free = [
    ...["metadata", "contents", "components", "paywall", "paywall_components", "additional_data"],
    ...["attributes", "subscriber_attributes"],
  ];
  for (const name of free) deepEqual(publicAnswer({ [name]: content }), { [name]: content });
});

Deno.test("a public answer has the public names of its kind of object", () => {
  const cases: [object, object][] = [
    [{ object: "app", type: "svc_billing", svc_billing: { a: 1 } }, {
      object: "app",
      type: "rc_billing",
      rc_billing: { a: 1 },
    }],
    [{ object: "public_api_key", key: "svcb_a" }, { object: "public_api_key", key: "rcb_a" }],
    [{ object: "subscription", store: "svc_billing" }, {
      object: "subscription",
      store: "rc_billing",
    }],
    [{ object: "package", lookup_key: "$svc_annual" }, {
      object: "package",
      lookup_key: "$rc_annual",
    }],
    [{ identifier: "$svc_annual", platform_product_identifier: "x" }, {
      identifier: "$rc_annual",
      platform_product_identifier: "x",
    }],
    [{ id: "svc_billing", display_name: "x" }, { id: "rc_billing", display_name: "x" }],
  ];
  for (const [own, other] of cases) deepEqual(publicAnswer(own), other);
  const same = [{ id: "svc_billing" }, { object: "customer", store: "svc_billing" }, {
    object: "app",
    type: "stripe",
  }];
  for (const one of same) deepEqual(publicAnswer(one), one);
});

Deno.test("a public event has the public store, and the public name of a promotion", () => {
  const product_id = "svc_promo_pro_lifetime";
  deepEqual(publicEvent({ store: "SVC_BILLING", product_id }), { store: "RC_BILLING", product_id });
  deepEqual(publicEvent({ store: "PROMOTIONAL", product_id }), {
    store: "PROMOTIONAL",
    product_id: "rc_promo_pro_lifetime",
  });
});
