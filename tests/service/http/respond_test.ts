import { deepEqual, equal, match } from "node:assert/strict";
import { Refusal } from "../../../lib/service/contract/errors.ts";
import { IllegalStep } from "../../../lib/service/domain/step.ts";
import { refuse, respond, respondEmpty } from "../../../lib/service/http/respond.ts";
import { refuseSdk } from "../../../lib/service/http/sdk_server.ts";
import { StoreError } from "../../../lib/service/store/mod.ts";

/** A response without its id, which is checked. */
async function contentOf(response: Response) {
  const { "x-request-id": id = "", ...headers } = Object.fromEntries(response.headers);
  match(id, /^req[0-9a-f]{16}$/);
  return { status: response.status, headers, text: await response.text() };
}

const COMMON = { "cache-control": "no-store", "content-type": "application/json" };

Deno.test("each response has an id of its own, and no cache keeps it", async () => {
  const more = { "X-Own": "a", "Content-Type": "application/problem+json" };
  deepEqual(await contentOf(respond('{"a":1}', 201, more)), {
    status: 201,
    headers: { ...COMMON, "x-own": "a", "content-type": "application/problem+json" },
    text: '{"a":1}',
  });
  deepEqual(await contentOf(respondEmpty(304, { "X-Own": "a" })), {
    status: 304,
    headers: { "cache-control": "no-store", "x-own": "a" },
    text: "",
  });
  equal(
    respond("", 200).headers.get("X-Request-Id") === respond("", 200).headers.get("X-Request-Id"),
    false,
  );
});

/** What each kind of error is answered with: the status and message, and the type or code. */
const ANSWERS: [error: Error, status: number, message: string, type: string, code: number][] = [
  [new Refusal(404, "resource_missing", "gone"), 404, "gone", "resource_missing", 7259],
  [
    new Refusal(409, "resource_already_exists", "taken"),
    409,
    "taken",
    "resource_already_exists",
    7226,
  ],
  [new Refusal(503, "server_error", "busy"), 503, "busy", "server_error", 7110],
  [new IllegalStep("not now"), 422, "not now", "unprocessable_entity_error", 7226],
  [new Refusal(500, "server_error", "own"), 500, "own", "server_error", 7110],
  [new Error("inner"), 500, "The service failed; see its log", "server_error", 7110],
];

Deno.test("each kind of error has its status, its type and its message, and only faults are reported", async () => {
  for (const [error, status, message, type, code] of ANSWERS) {
    const reports: unknown[] = [];
    const report = (one: unknown) => void reports.push(one);
    const answer = await contentOf(refuse(error, { report }, { "X-Limits": "5" }));
    deepEqual([answer.status, answer.headers], [status, { ...COMMON, "x-limits": "5" }]);
    const body = JSON.parse(answer.text);
    deepEqual([body.object, body.type, body.message], ["error", type, message]);
    const app = await contentOf(refuseSdk(error, { report }));
    deepEqual([app.status, app.headers, JSON.parse(app.text)], [status, COMMON, { code, message }]);
    deepEqual(reports, message.startsWith("The service") ? [error, error] : []);
  }
});

Deno.test("an outage of the database says when to come again, and is not reported with each request", async () => {
  const report = () => {
    throw new Error("it was reported");
  };
  for (
    const [failure, status, seconds] of [["unreachable", 503, "1"], ["full", 507, "10"]] as const
  ) {
    const error = new StoreError("away", { failure });
    const answer = await contentOf(refuse(error, { report }));
    const { backoff_ms, retryable } = JSON.parse(answer.text);
    deepEqual([answer.status, answer.headers["retry-after"]], [status, seconds]);
    deepEqual([backoff_ms, retryable], [Number(seconds) * 1000, true]);
    const app = await contentOf(refuseSdk(error, { report }));
    deepEqual([app.status, app.headers["retry-after"]], [status, seconds]);
  }
});
