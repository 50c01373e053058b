import { deepEqual, equal } from "node:assert/strict";
import { KEY_PREFIX } from "../../../lib/service/records/app_settings.ts";
import { appChanges, newApp } from "../../../lib/service/records/app_types.ts";

/** The lengths of the texts of each type of app: the shortest and the longest. */
const LENGTHS: Readonly<Record<string, Readonly<Record<string, readonly [number, number]>>>> = {
  app_store: {
    bundle_id: [1, 256],
    shared_secret: [32, 32],
    subscription_private_key: [1, 4500],
    subscription_key_id: [1, 32],
    subscription_key_issuer: [1, 36],
    app_store_connect_api_key: [1, 4500],
    app_store_connect_api_key_id: [1, 36],
    app_store_connect_api_key_issuer: [1, 36],
    app_store_connect_vendor_number: [1, 20],
  },
  mac_app_store: { bundle_id: [1, 256], shared_secret: [32, 32] },
  play_store: { package_name: [1, 256] },
  amazon: { package_name: [1, 256], shared_secret: [1, 256] },
  stripe: { stripe_account_id: [1, 256] },
  svc_billing: { app_name: [1, 256], stripe_account_id: [1, 256], support_email: [1, 320] },
  rc_billing: { app_name: [1, 256], stripe_account_id: [1, 256], support_email: [1, 320] },
  roku: { roku_api_key: [33, 33], roku_channel_id: [6, 6], roku_channel_name: [1, 30] },
  paddle: { paddle_api_key: [50, 70] },
};

Deno.test("each text of an app has the lengths that its type allows, at creation and after", () => {
  for (const [type, fields] of Object.entries(LENGTHS)) {
    const texts = Object.entries(fields).map(([name, [, most]]) => [name, "a".repeat(most)]);
    const longest = Object.fromEntries(texts);
    const accepts = (own: object) => [
      newApp.safeParse({ type, name: "An app", [type]: own }).success,
      appChanges.safeParse({ [type]: own }).success,
    ];
    deepEqual(accepts(longest), [true, true], type);
    deepEqual(accepts({ ...longest, other: "a" }), [false, false], type);
    for (const [name, [least, most]] of Object.entries(fields)) {
      const accepted = (length: number) => accepts({ ...longest, [name]: "a".repeat(length) });
      deepEqual(accepted(least), [true, true], `${type} ${name} ${least}`);
      for (const length of [least - 1, most + 1]) {
        deepEqual(accepted(length), [false, false], `${type} ${name} ${length}`);
      }
    }
  }
});

Deno.test("the type of an app cannot be changed", () => {
  const { error } = appChanges.safeParse({ type: "roku" });
  equal(error?.issues[0]?.message, "cannot be changed");
});

Deno.test("a public key begins with the name of its store", () => {
  deepEqual(KEY_PREFIX, {
    app_store: "appl_",
    mac_app_store: "mac_",
    play_store: "goog_",
    amazon: "amzn_",
    stripe: "strp_",
    svc_billing: "svcb_",
    paddle: "pdl_",
    roku: "roku_",
    test_store: "test_",
  });
});
