import { deepEqual, equal, match } from "node:assert/strict";
import { createHash } from "node:crypto";
import { BASE_URL, type Desk, openDesk } from "../../support/harness.ts";

/** Sends a request to the administrator's door. */
async function admin(desk: Desk, method: string, path: string, body?: unknown) {
  const headers = {
    Authorization: `Bearer ${desk.service.adminSecret}`,
    "Content-Type": "application/json",
  };
  const text = body === undefined ? null : JSON.stringify(body);
  const response = await desk.service.fetch(
    new Request(`${BASE_URL}/_sim${path}`, { method, headers, body: text }),
  );
  return { status: response.status, body: await response.json() };
}

const VERIFIER = "v".repeat(43);

/** Signs in with a client as its program does. Returns the answer of the token address. */
async function signIn(desk: Desk, client_id: string, redirect_uri: string) {
  const query = new URLSearchParams({
    client_id,
    redirect_uri,
    response_type: "code",
    scope: "*:*:read_write",
    code_challenge: createHash("sha256").update(VERIFIER).digest("base64url"),
    code_challenge_method: "S256",
  });
  const page = await desk.service.fetch(new Request(`${BASE_URL}/oauth2/authorize?${query}`));
  const code = new URL(page.headers.get("Location") ?? "x:").searchParams.get("code");
  if (code === null) return { status: page.status, body: {} };
  const form = { grant_type: "authorization_code", code, redirect_uri, client_id };
  const response = await desk.service.fetch(
    new Request(`${BASE_URL}/oauth2/token`, {
      method: "POST",
      body: new URLSearchParams({ ...form, code_verifier: VERIFIER }),
    }),
  );
  return { status: response.status, body: await response.json() };
}

const CALLBACK = "http://127.0.0.1:53682/callback";

Deno.test("a client signs in once it is registered, and not any more once it is removed", async () => {
  await using desk = await openDesk({ autoApprove: "owner@example.com" });
  equal((await signIn(desk, "acme-cli", CALLBACK)).status, 400);
  const wanted = { id: "acme-cli", redirect_uris: ["http://127.0.0.1/callback"] };
  const added = await admin(desk, "POST", "/clients", wanted);
  deepEqual(added, { status: 201, body: { object: "client", ...wanted, name: "acme-cli" } });
  const { status, body } = await signIn(desk, "acme-cli", CALLBACK);
  equal(status, 200);
  const headers = { Authorization: `Bearer ${body.access_token}` };
  equal((await desk.send("GET", "/v2/projects", undefined, headers)).status, 200);
  equal((await signIn(desk, "acme-cli", "http://127.0.0.1:1/elsewhere")).status, 400);
  equal((await admin(desk, "DELETE", "/clients/acme-cli")).status, 200);
  equal((await desk.send("GET", "/v2/projects", undefined, headers)).status, 401);
  equal((await signIn(desk, "acme-cli", CALLBACK)).status, 400);
  const { body: list } = await admin(desk, "GET", "/clients");
  deepEqual(list.items.map(({ id }: { id: string }) => id), ["svc-cli"]);
});

Deno.test("what is no client is refused, and our own stays", async () => {
  await using desk = await openDesk();
  const redirect_uris = ["https://acme.example.com/callback"];
  for (
    const [status, param, body] of [
      [400, "id", { redirect_uris }],
      [400, "id", { id: "a b", redirect_uris }],
      [400, "redirect_uris", { id: "a", redirect_uris: [] }],
      [400, "redirect_uris.0", { id: "a", redirect_uris: ["http://example.com/"] }],
      [409, "id", { id: "svc-cli", redirect_uris }],
    ] as const
  ) {
    const answer = await admin(desk, "POST", "/clients", body);
    deepEqual([answer.status, answer.body.param], [status, param], JSON.stringify(body));
  }
  equal((await admin(desk, "DELETE", "/clients/nope")).status, 404);
  const own = await admin(desk, "DELETE", "/clients/svc-cli");
  equal(own.status, 422);
  match(own.body.message, /cannot be removed/);
});
