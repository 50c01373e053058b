import { deepEqual, ok } from "node:assert/strict";
import { DEEPEST_ANSWER, LARGEST_ANSWER, LONGEST_SILENCE_MS } from "../lib/answer.ts";
import { LARGEST_SETTINGS } from "../lib/config/read_bounded.ts";
import { ANSWER_LIMITS, KEPT_BYTES } from "../lib/service/events/http_client.ts";
import { DEEPEST_BODY, LARGEST_BODY, MOST_FIELDS, MOST_VALUES } from "../lib/service/http/body.ts";
import { CONNECTION_LIMITS } from "../lib/service/http/connections.ts";
import { LONGEST_REQUEST_MS, LONGEST_TOLD_MS } from "../lib/retry.ts";
import { PRESENT_WAIT_MS } from "../lib/service/http/present.ts";
import { STOP_MS } from "../lib/service/serve.ts";
import { MOST_DUE, MOST_DUE_UNASKED } from "../lib/service/ledger/due.ts";
import { PUBLIC_LIMITS } from "../lib/service/mod.ts";
import { LONGEST_STATE } from "../lib/service/oauth/authorization_request.ts";
import { MOST_FORMS } from "../lib/service/oauth/consent_forms.ts";
import { LARGEST_FORM } from "../lib/service/oauth/form.ts";
import { PASSWORD_LENGTH } from "../lib/service/oauth/password_rules.ts";
import { MOST_HASHES } from "../lib/service/oauth/scrypt.ts";
import { TRIES } from "../lib/service/oauth/tries.ts";
import { IDLE_LIMITS } from "../lib/service/outbound/idle.ts";
import { LONGEST_URL } from "../lib/service/outbound/judge.ts";
import { MOST_AT_ONCE } from "../lib/service/records/attributes.ts";
import { MOST_PRODUCTS } from "../lib/service/sdk/products.ts";
import { LONGEST_RECEIPT } from "../lib/service/sdk/receipts.ts";
import { LARGEST_LOG, USUAL_LOG } from "../lib/service/store/sqlite/log_size.ts";
import { WRITE_WAIT_MS } from "../lib/service/store/sqlite/patience.ts";
import { CHECK_MS } from "../lib/service/store/sqlite/soundness.ts";

/** Every limit that the page must show, by the name of its constant. */
const LIMITS: Record<string, number> = {
  ...named("CONNECTION_LIMITS", { ...CONNECTION_LIMITS }),
  ...named("MOST_FORMS", MOST_FORMS),
  ...named("PASSWORD_LENGTH", PASSWORD_LENGTH),
  ...named("TRIES", TRIES),
  ...named("MOST_HASHES", MOST_HASHES),
  ...named("PUBLIC_LIMITS", PUBLIC_LIMITS),
  ...named("ANSWER_LIMITS", ANSWER_LIMITS),
  ...named("IDLE_LIMITS", IDLE_LIMITS),
  STOP_MS,
  LARGEST_BODY,
  DEEPEST_BODY,
  MOST_VALUES,
  MOST_FIELDS,
  LARGEST_FORM,
  LONGEST_STATE,
  LONGEST_RECEIPT,
  MOST_PRODUCTS,
  MOST_AT_ONCE,
  LONGEST_URL,
  KEPT_BYTES,
  MOST_DUE,
  MOST_DUE_UNASKED,
  PRESENT_WAIT_MS,
  WRITE_WAIT_MS,
  USUAL_LOG,
  LARGEST_LOG,
  CHECK_MS,
  LARGEST_ANSWER,
  LONGEST_SILENCE_MS,
  DEEPEST_ANSWER,
  LARGEST_SETTINGS,
  LONGEST_REQUEST_MS,
  LONGEST_TOLD_MS,
};

/** The fields of a group of limits, by their whole names. */
function named(group: string, limits: Record<string, number>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(limits).map(([name, value]) => [`${group}.${name}`, value]),
  );
}

Deno.test("SECURITY.md shows every limit with the number in the code", async () => {
  const page = await Deno.readTextFile(new URL("../SECURITY.md", import.meta.url));
  const rows = [...page.matchAll(/^\|[^|]+\|\s*(\d+)\s*\|\s*`([\w.]+)`\s*\|$/gm)];
  ok(rows.length > 0);
  const shown = Object.fromEntries(rows.map(([, value, name]) => [name, Number(value)]));
  deepEqual(shown, LIMITS);
});
