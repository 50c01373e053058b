import { deepEqual } from "node:assert/strict";
import { SDK_CODE, SdkRefusal } from "../../../lib/service/contract/sdk_errors.ts";

Deno.test("the codes are those that released SDKs know", () => {
  deepEqual(SDK_CODE, {
    invalid_platform: 7000,
    not_transferred: 7102,
    invalid_receipt: 7103,
    internal_error: 7110,
    empty_user: 7220,
    invalid_key: 7225,
    bad_request: 7226,
    secret_key: 7243,
    no_alias: 7255,
    invalid_user: 7256,
    not_found: 7259,
    invalid_attributes: 7263,
    invalid_attributes_body: 7264,
    already_subscribed: 7772,
  });
});

Deno.test("a refusal of an SDK's request has its status, code, message and headers", () => {
  const headers = { "Retry-After": "1" };
  const { name, status, code, message, headers: own } = new SdkRefusal(
    409,
    "already_subscribed",
    "Ada has it",
    headers,
  );
  deepEqual([name, status, code, message, own], ["SdkRefusal", 409, 7772, "Ada has it", headers]);
  deepEqual(new SdkRefusal(404, "not_found", "There is none").headers, {});
});
