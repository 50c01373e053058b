import { deepEqual, equal, match, ok } from "node:assert/strict";
import {
  ApiError,
  AuthError,
  Cancelled,
  ConfigError,
  NetworkError,
  UsageError,
} from "../../../lib/errors.ts";
import { ConfirmationError } from "../../../lib/cli/screen/ask.ts";
import { reportError } from "../../../lib/cli/screen/report.ts";
import { PartlyDone } from "../../../lib/cli/screen/outcome.ts";
import { listPackages } from "../../../lib/resources/packages.ts";
import { at, linesOf } from "../../support/cli_fixture.ts";
import { type Desk, openDesk } from "../../support/harness.ts";
import { simulate } from "../../support/simulation.ts";
import { networkFailure, refused } from "../../support/wire.ts";

/** A desk whose service answers every request under `/v2` in one way. */
function openRefusing(answer: () => Response): Promise<Desk> {
  return openDesk({
    intercept: async (request, pass) =>
      new URL(request.url).pathname.startsWith("/v2/") ? answer() : await pass(request),
  });
}

/** What the service answers, the exit code, and what the hint says. */
const STATUSES: [status: number, fields: Record<string, unknown>, code: number, hint: RegExp][] = [
  [
    400,
    { type: "parameter_error", param: "limit" },
    1,
    /^Check limit; see: cli offerings view --h/,
  ],
  [400, { type: "invalid_request" }, 1, /^See its state: cli offerings view pro$/],
  [401, { type: "authentication_error" }, 4, /^Replace CLI_REFRESH_TOKEN; .*: cli service token$/],
  [403, { type: "authorization_error" }, 4, /^See which projects you can use: cli projects list$/],
  [
    403,
    { type: "authorization_error", missing_scopes: ["project_configuration:offerings:read_write"] },
    4,
    /^Replace CLI_REFRESH_TOKEN with one that has that permission; .*: cli service token$/,
  ],
  [
    404,
    { type: "resource_missing" },
    5,
    /^See the list: cli offerings list --project-id proj/,
  ],
  [409, { type: "resource_already_exists", param: "name" }, 7, /^Check name; see:/],
  [409, { type: "idempotency_error" }, 7, /^See its state/],
  [413, { type: "invalid_request" }, 1, /^See its state/],
  [418, { type: "teapot" }, 1, /./],
  [422, { type: "unprocessable_entity_error" }, 7, /^See its state: cli offerings view pro$/],
  [
    422,
    { type: "entity_references_archived_entities", referenced_object_ids: ["prod1", "prod2"] },
    7,
    /^Related objects: prod1 prod2$/,
  ],
  [423, { type: "resource_locked_error" }, 7, /^See its state/],
  [429, { type: "rate_limit_error" }, 6, /^Try again in 60 s$/],
  [429, { type: "rate_limit_error", backoff_ms: 1_500 }, 6, /^Try again in 2 s$/],
  [429, { type: "rate_limit_error", backoff_ms: 600_000 }, 6, /^Try again in 10 min$/],
  [429, { type: "rate_limit_error", backoff_ms: 10_000_000 }, 6, /^Try again in 3 h$/],
  [429, { type: "rate_limit_error", backoff_ms: 86_400_000 }, 6, /^Try again later$/],
  [421, { type: "invalid_request" }, 1, /^Check CLI_BASE_URL: .* serves the API/],
  [500, { type: "server_error" }, 1, /^Try again later\. The request id is req7$/],
  [502, { type: "server_error" }, 1, /^Try again later/],
  [503, { type: "server_error" }, 1, /^Try again later/],
  [504, { type: "server_error" }, 1, /^Try again later/],
];

/** The lines on standard error, without those that tell of a wait. */
function told(err: string): string[] {
  return linesOf(err).filter((line) => !/^Warning: .*; retrying in /.test(line));
}

Deno.test("every refusal has its exit code and hint, and leaves stdout empty", async () => {
  for (const [status, fields, code, hint] of STATUSES) {
    const body = { message: "The reason", ...fields };
    await using desk = await openRefusing(() => refused(status, body, { "X-Request-Id": "req7" }));
    const label = `${status} ${fields["type"]}`;
    const ran = await desk.run("offerings", "view", "pro");
    deepEqual([ran.code, ran.out], [code, ""], label);
    const [first = "", second = "", ...more] = told(ran.err);
    ok(first.startsWith("Cannot show an offering with its packages: "), label);
    match(second, hint, label);
    deepEqual(more, [], label);

    const asJson = await desk.run("offerings", "view", "pro", "--output", "json");
    deepEqual([asJson.code, asJson.out], [code, ""], label);
    const [line = "", ...others] = told(asJson.err);
    deepEqual(others, [], label);
    deepEqual(JSON.parse(line), {
      error: {
        type: fields["type"],
        message: body.message,
        status,
        param: fields["param"] ?? null,
        referenced_object_ids: fields["referenced_object_ids"] ?? [],
        missing_scopes: fields["missing_scopes"] ?? [],
        request_id: "req7",
        hint: second,
        exit_code: code,
        retry_after_ms: fields["backoff_ms"] ?? null,
      },
    }, label);
  }
});

Deno.test("an error from another server is reported as such, whatever its status", async () => {
  for (const [status, code] of [[403, 4], [404, 5], [407, 1], [502, 1]] as const) {
    await using desk = await openRefusing(() => new Response("<html>Proxy", { status }));
    const { code: own, err } = await desk.run("offerings", "list");
    equal(own, code);
    match(
      err,
      new RegExp(`^Cannot list the offerings: The service answered with status ${status}$`, "m"),
    );
    match(err, /does not come from the service.*CLI_BASE_URL.*HTTPS_PROXY/);
  }
});

Deno.test("a silent service exits with 8 and a hint to start one", async () => {
  await using desk = await openDesk({ intercept: () => Promise.reject(networkFailure()) });
  const { code, out, err } = await desk.run("offerings", "list");
  deepEqual([code, out], [8, ""]);
  deepEqual(linesOf(err), [
    "Cannot reach http://127.0.0.1:4010: the connection was refused",
    "Start the local service with: cli service start",
  ]);
  const { err: json } = await desk.run("offerings", "list", "--output=json");
  deepEqual(at(JSON.parse(json), "error"), {
    type: "network_error",
    message: "Cannot reach http://127.0.0.1:4010: the connection was refused",
    status: null,
    param: null,
    referenced_object_ids: [],
    missing_scopes: [],
    request_id: null,
    hint: "Start the local service with: cli service start",
    exit_code: 8,
    retry_after_ms: null,
  });
});

Deno.test("every kind of error has its exit code and type", () => {
  const kinds: [error: unknown, code: number, type: string][] = [
    [new UsageError("x"), 2, "usage_error"],
    [new ConfigError("x"), 1, "config_error"],
    [new AuthError("x"), 4, "auth_error"],
    [new NetworkError("x"), 8, "network_error"],
    [new ConfirmationError("x"), 3, "confirmation_error"],
    [new PartlyDone("x"), 9, "partly_done"],
    [new Cancelled("x"), 130, "cancelled"],
    [new TypeError("x is not a function"), 1, "unexpected_error"],
    ["x", 1, "unexpected_error"],
  ];
  for (const [error, code, type] of kinds) {
    const report = reportError(error, {
      names: ["offerings", "list"],
      brief: "List the offerings",
    });
    equal(report.exitCode, code, type);
    equal(at(report.json, "error", "type"), type);
    equal(at(report.json, "error", "exit_code"), code);
  }
});

Deno.test("the program distinguishes bugs from refusals", () => {
  const failed = { names: ["offerings", "list"], brief: "List the offerings" };
  const { message, hint } = reportError(new TypeError("x is undefined"), failed);
  equal(message, "Cannot list the offerings: x is undefined");
  match(hint ?? "", /This is a bug\. Please report it/);
});

Deno.test("a hint can be copied into a shell, whatever the id", async () => {
  await using desk = await openRefusing(() => refused(422, { retryable: false }));
  const shown: [id: string, command: string][] = [
    ["$svc_a b", "cli offerings view '$svc_a b'"],
    ["it's", "cli offerings view 'it'\\''s'"],
    ["a/b%", "cli offerings view a/b%"],
  ];
  for (const [id, command] of shown) {
    const { err } = await desk.run("offerings", "archive", id);
    equal(linesOf(err)[1], `See its state: ${command}`);
  }
});

Deno.test("the hint's list fits the missing object, not the command", async () => {
  const files = { "grants.json": '{"product_grants": [{"product_ids": ["nope"], "amount": 5}]}' };
  await using desk = await openDesk({ files });
  const missing: [words: string, list: string][] = [
    ["packages list -o nope", "offerings"],
    ["packages create nope --id a --display-name b", "offerings"],
    ["packages view nope", "packages"],
    ["entitlements attach pro nope", "products"],
    ["apps public-keys nope", "apps"],
    ["products view nope", "products"],
    ["packages attach PACKAGE nope", "products"],
    ["vc create --code GLD --name Gold --file grants.json", "products"],
    ["vc view GLD", "virtual-currencies"],
  ];
  const [item] = (await listPackages(desk.client, "default")).items;
  for (const [template, list] of missing) {
    const words = template.replace("PACKAGE", item?.id ?? "");
    const { code, err } = await desk.run(...words.split(" "));
    equal(code, 5, words);
    const hint = `See the list: cli ${list} list --project-id ${desk.projectId}`;
    equal(linesOf(err)[1], hint, words);
  }
});

Deno.test("the hint for a missing object names the list that contains it", async () => {
  await using desk = await openDesk();
  desk.env.CLI_SERVICE_ADMIN_SECRET = desk.service.adminSecret;
  const { id } = await simulate(desk).subscribe({ product_id: "notes.pro.monthly", price: 9.99 });
  const here = `--project-id ${desk.projectId}`;
  const missing: [words: string, list: string][] = [
    ["clock show --project-id projnope", "projects list"],
    ["events list --project-id projnope", "projects list"],
    ["events list --project-id nope", "projects list"],
    ["simulate purchase ada nope --price 1 --project-id projnope", "projects list"],
    ["projects view --project-id projnope", "projects list"],
    ["service account add ann@acme.dev --project projnope", "projects list"],
    ["subscriptions view subnope", `subscribers info <user-id> ${here}`],
    ["subscribers refund subnope nope -y", `subscribers info <user-id> ${here}`],
    [`subscribers refund ${id} nope -y`, `subscriptions transactions ${id} ${here}`],
    [`simulate refund ${id} --transaction-id nope`, `subscriptions transactions ${id} ${here}`],
    [`simulate change-product ${id} nope`, `products list ${here}`],
    ["simulate pay-invoice nope", `subscribers invoices <user-id> ${here}`],
    ["simulate alias nope other", `subscribers list ${here}`],
    ["events listeners secret nope", `events listeners list ${here}`],
  ];
  for (const [words, list] of missing) {
    const { code, err } = await desk.run(...words.split(" "));
    equal(code, 5, `${words}: ${err}`);
    equal(linesOf(err)[1], `See the list: cli ${list}`, words);
  }
});

Deno.test("an object without a list gets no list in its hint", async () => {
  await using desk = await openRefusing(() => refused(404, { type: "resource_missing" }));
  for (const words of ["metrics overview", "audit-logs list", "collaborators list"]) {
    const { err } = await desk.run(...words.split(" "));
    equal(linesOf(err)[1], "Look for the cause with: cli doctor", words);
  }
});

Deno.test("the hint to sign in appears only for a stored sign-in", () => {
  const refusal = (status: number, message: string, missingScopes: string[] = []) =>
    new ApiError(message, {
      missingScopes,
      status,
      type: "x",
      retryable: false,
      param: undefined,
      retryAfterMs: undefined,
      requestId: undefined,
      referencedObjectIds: [],
      method: "GET",
      path: "/v2/projects",
    });
  const unknown = refusal(401, "unknown");
  const lacking = refusal(403, "It lacks a permission", ["a:b:read"]);
  equal(reportError(unknown, undefined).hint, "Sign in again with: cli auth login");
  match(reportError(lacking, undefined).hint ?? "", /: cli auth login$/);
  const named = { signIn: "cli auth login --name w" };
  match(reportError(unknown, undefined, named).hint ?? "", /^Sign in again with: .* --name w$/);
  const given = { givenToken: true };
  match(reportError(unknown, undefined, given).hint ?? "", /^Replace CLI_REFRESH_TOKEN;/);
  match(
    reportError(lacking, undefined, given).hint ?? "",
    /^Replace CLI_REFRESH_TOKEN with one/,
  );
  const more = refusal(403, "It lacks two", ["a:b:read", "a:c:read_write"]);
  match(
    reportError(more, undefined, { ...given, data: "my data" }).hint ?? "",
    /^Replace CLI_REFRESH_TOKEN with one that has those permissions; .*: cli service token --data 'my data'$/,
  );
  const elsewhere = refusal(403, "no seat");
  match(reportError(elsewhere, undefined, given).hint ?? "", /: cli projects list$/);
});

Deno.test("a hint names at most ten ids, and JSON names all", async () => {
  const ids = Array.from({ length: 12 }, (_, i) => `prod${i}`);
  await using desk = await openRefusing(() => refused(409, { referenced_object_ids: ids }));
  const { err } = await desk.run("apps", "delete", "app1", "-y");
  equal(linesOf(err)[1], `Related objects: ${ids.slice(0, 10).join(" ")} and 2 more`);
  const json = await desk.run("apps", "delete", "app1", "-y", "--output", "json");
  deepEqual(at(JSON.parse(json.err), "error", "referenced_object_ids"), ids);
});

Deno.test("a hint names the command or the flag that helps", async () => {
  await using desk = await openDesk();
  const create = "offerings create --id old --display-name Old".split(" ");
  await desk.run(...create);
  const { err: taken } = await desk.run(...create);
  equal(linesOf(taken)[1], "Check --id (lookup_key); see: cli offerings create --help");
  await desk.run("offerings", "archive", "old");
  const { err: archived } = await desk.run("offerings", "set-current", "old");
  equal(linesOf(archived)[1], "Unarchive it first: cli offerings unarchive old");
  desk.env["CLI_SERVICE_ADMIN_SECRET"] = desk.service.adminSecret;
  const { err: nobody } = await desk.run("service", "token", "--account", "nobody@example.com");
  equal(linesOf(nobody)[1], "See the accounts with: cli service account list");
  const webhook = "webhooks create --name A --url https://acme.dev/ --events bogus".split(" ");
  const { err: bogus } = await desk.run(...webhook);
  equal(linesOf(bogus)[1], "Check --events (event_types); see: cli webhooks create --help");
});

Deno.test("without a project or a sign-in, the error names the next command", async () => {
  await using desk = await openDesk();
  desk.env["CLI_PROJECT_ID"] = "";
  const lost = await desk.run("offerings", "list");
  equal(lost.code, 2);
  deepEqual(linesOf(lost.err), [
    "Cannot choose a project: none is set",
    "Pass --project-id, set CLI_PROJECT_ID, or run: cli init",
  ]);
  equal((await desk.run("projects", "list")).code, 0);
  const nowhere = await desk.run("projects", "view");
  equal(nowhere.code, 2);
  match(nowhere.err, /cli projects list/);
  desk.env["CLI_REFRESH_TOKEN"] = "";
  const nobody = await desk.run("projects", "list");
  equal(nobody.code, 4);
  match(nobody.err, /^Cannot .*: nobody is signed in\n.*CLI_REFRESH_TOKEN/);
});

Deno.test("an error cannot control the terminal, and JSON keeps its text", async () => {
  const message = "a\u001b]52;c;x\u0007 \u202eb\nCannot lie";
  await using desk = await openRefusing(() => refused(422, { message, retryable: false }));
  const { err } = await desk.run("offerings", "archive", "x\u001b[31m");
  equal(linesOf(err).length, 2);
  // deno-lint-ignore no-control-regex
  ok(!/[\x00-\x09\x0b-\x1f\x7f\u202e]/.test(err), JSON.stringify(err));
  const json = await desk.run("offerings", "archive", "x", "--output", "json");
  equal(at(JSON.parse(json.err), "error", "message"), message);
  // deno-lint-ignore no-control-regex
  ok(!/[\x00-\x09\x0b-\x1f\x7f\u202e]/.test(json.err), JSON.stringify(json.err));
});

Deno.test("a mistyped command or flag gets a suggestion", async () => {
  await using desk = await openDesk();
  const mistakes: [words: string, says: RegExp][] = [
    ["offerin list", /^Cannot run "offerin": .*; did you mean "offerings"\?$/m],
    ["ofer list", /did you mean "offerings"\?$/m],
    ["offerings lst", /^Cannot run "offerings lst": .*; did you mean "offerings list"\?$/m],
    ["offer viwe x", /did you mean "offerings view"\?$/m],
    ["offerings frobnicate", /^Cannot run "offerings frobnicate": there is no such command$/m],
    ["offerings list --limt 5", /there is no flag --limt; did you mean --limit\?$/m],
    ["offerings create --display_name x", /did you mean --display-name\?$/m],
    ["offerings list --limit", /--limit needs a value$/m],
    ["offerings list --limit x", /^Cannot use "x" for --limit: it is not a whole number$/m],
    ["offerings list --limit 0", /it must be 1 or more$/m],
    ["offerings list --limit=-1", /it must be 1 or more$/m],
    ["offerings list --limit 1 --limit 2", /--limit is given twice$/m],
    [
      "apps create --type web",
      /--type cannot be "web"; it takes app_store, play_store, amazon, .* with --file$/m,
    ],
    ["projects create", /--name is missing$/m],
    ["entitlements attach pro", /<product-id>\.\.\. is missing$/m],
    ["offerings list --all=perhaps", /: --all cannot be "perhaps"; it takes yes or no$/m],
  ];
  for (const [words, says] of mistakes) {
    const { code, out, err } = await desk.run(...words.split(" "));
    deepEqual([code, out], [2, ""], words);
    match(err, says, words);
    match(linesOf(err)[1] ?? "", /^Run: cli .*--help$/, words);
  }
  deepEqual(desk.sent, []);
});
