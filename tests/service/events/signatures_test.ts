import { deepEqual, equal, match, notEqual } from "node:assert/strict";
import {
  newSigningSecret,
  OVERLAP_MS,
  secretsAt,
  signatureHeaders,
} from "../../../lib/service/events/signatures.ts";

Deno.test("a signing secret is whsec_ and 24 random bytes", () => {
  match(newSigningSecret(), /^whsec_[A-Za-z0-9+/]{32}$/);
  notEqual(newSigningSecret(), newSigningSecret());
});

Deno.test("a signature has the time in whole seconds, rounded down", () => {
  const message = { id: "e1", body: "{}", now: 1_999 };
  const [hex, id, seconds] = signatureHeaders(["whsec_AAAA"], message);
  deepEqual([id, seconds], [["webhook-id", "e1"], ["webhook-timestamp", "1"]]);
  match(hex?.[1] ?? "", /^t=1,v1=[0-9a-f]{64}$/);
  deepEqual(signatureHeaders(["whsec_AAAA"], { ...message, now: 1_000 }), [
    hex,
    id,
    seconds,
    signatureHeaders(["whsec_AAAA"], message)[3],
  ]);
});

Deno.test("the previous secret also signs until it expires", () => {
  const webhook = { signing_secret: "new", previous_secret: "old", previous_secret_until: 5 };
  deepEqual([4, 5, 6].map((now) => secretsAt(webhook, now)), [["new", "old"], ["new"], ["new"]]);
  deepEqual(secretsAt({ ...webhook, previous_secret: null }, 4), ["new"]);
  deepEqual(secretsAt({ ...webhook, previous_secret_until: null }, 0), ["new"]);
  equal(OVERLAP_MS, 86_400_000);
});
