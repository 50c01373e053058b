import { deepEqual, equal, ok } from "node:assert/strict";
import { recognizeService } from "../../lib/auth/discovery.ts";
import { ApiError, ConfigError, NetworkError } from "../../lib/errors.ts";
import { openHome } from "../support/home_fixture.ts";

/** What was asked of a service, with the number of the try, and what came of it. */
interface Looked {
  /** Each path that was asked, in order. */
  asked: [path: string, attempt: number][];
  /** What it tells of itself, or why it is not taken for the service. */
  outcome: unknown;
}

/** Looks at a service that answers like this. */
async function lookAt(
  answer: (path: string) => Response,
  baseUrl = "http://service.test",
): Promise<Looked> {
  await using at = await openHome();
  const intercept = (request: Request) => Promise.resolve(answer(new URL(request.url).pathname));
  const asked: Looked["asked"] = [];
  const outcome = await recognizeService({
    baseUrl,
    around: at.around({ intercept }),
    onExchange: ({ request, attempt }) => void asked.push([new URL(request.url).pathname, attempt]),
  }).catch((error) => error);
  return { asked, outcome };
}

const HEALTH = "/health";
const METADATA = "/.well-known/oauth-authorization-server";
const REFUSAL = { object: "error", type: "authentication_error", message: "Sign in" };

/** An answer at some paths; all others have none. */
function only(answers: Record<string, [status: number, body: unknown]>) {
  return (path: string) => {
    const [status, body] = answers[path] ?? [404, { object: "error" }];
    return Response.json(body, { status });
  };
}

Deno.test("a service is asked once for its health and once for its description", async () => {
  const { asked, outcome } = await lookAt(only({
    [HEALTH]: [200, { status: "ok", version: "1.2.3" }],
    [METADATA]: [200, {
      token_endpoint: "http://service.test/oauth2/token",
      authorization_response_iss_parameter_supported: true,
    }],
  }));
  deepEqual(asked, [[HEALTH, 1], [METADATA, 1]]);
  deepEqual(outcome, { version: "1.2.3", namesItself: true });
});

Deno.test("a service with only a description, or only a 401, is recognised", async () => {
  const described = await lookAt(only({ [METADATA]: [200, { token_endpoint: "x" }] }));
  deepEqual(described.outcome, { version: undefined, namesItself: false });
  const asking = await lookAt(only({ "/v2/projects": [401, REFUSAL] }));
  deepEqual(asking.asked, [[HEALTH, 1], [METADATA, 1], ["/v2/projects", 1]]);
  deepEqual(asking.outcome, { version: undefined, namesItself: false });
});

Deno.test("other programs are not taken for the service", async () => {
  const others = [
    only({}),
    only({ [HEALTH]: [200, { status: "up" }] }),
    only({ [HEALTH]: [201, { status: "ok" }] }),
    only({ [METADATA]: [200, { token_endpoint: 1 }] }),
    only({ [METADATA]: [203, { token_endpoint: "x" }] }),
    only({ "/v2/projects": [401, { message: "no type" }] }),
    only({ "/v2/projects": [403, REFUSAL] }),
    () => new Response("<html>", { status: 200 }),
  ];
  for (const other of others) {
    const { outcome } = await lookAt(other);
    ok(outcome instanceof ConfigError, String(outcome));
    equal(outcome.hint?.startsWith("Check CLI_BASE_URL"), true, outcome.hint);
  }
  const versioned = await lookAt(
    only({ "/v2/projects": [401, REFUSAL] }),
    "http://service.test/v1",
  );
  deepEqual(versioned.asked, [["/v1/health", 1], [
    "/v1/.well-known/oauth-authorization-server",
    1,
  ]]);
  ok(versioned.outcome instanceof ConfigError);
  equal(versioned.outcome.hint, "Leave out the version: CLI_BASE_URL=http://service.test");
});

Deno.test("an address that includes the version works", async () => {
  for (const end of ["/v2", "/v2/"]) {
    const { outcome } = await lookAt(
      only({ "/v2/projects": [401, REFUSAL] }),
      `http://service.test${end}`,
    );
    deepEqual(outcome, { version: undefined, namesItself: false });
  }
});

Deno.test("the service's description is shown", async () => {
  for (const [status, why] of [[503, "The disk is full"], [421, "Not a host of mine"]] as const) {
    const body = { object: "error", type: "server_error", message: why };
    const { outcome } = await lookAt(() => Response.json(body, { status }));
    ok(outcome instanceof ApiError, String(outcome));
    deepEqual([outcome.message, outcome.status], [why, status]);
  }
});

Deno.test("a failing service is asked once, and is not taken for another program", async () => {
  const { asked, outcome } = await lookAt(() => new Response("down", { status: 500 }));
  deepEqual(asked, [[HEALTH, 1]]);
  ok(outcome instanceof NetworkError, String(outcome));
  // One that refuses is none that fails.
  const refusing = await lookAt(() => new Response("no", { status: 499 }));
  ok(refusing.outcome instanceof ConfigError, String(refusing.outcome));
});
