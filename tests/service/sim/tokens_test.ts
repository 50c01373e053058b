import { deepEqual, equal } from "node:assert/strict";
import { BASE_URL, type Desk, openDesk } from "../../support/harness.ts";
import { refreshForm } from "../../support/oauth_fixture.ts";

/** Requests a token as the administrator. */
async function tokenOf(desk: Desk, options: object): Promise<[number, Record<string, unknown>]> {
  const response = await desk.service.fetch(
    new Request(`${BASE_URL}/_sim/tokens`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${desk.service.adminSecret}`,
        "Content-Type": "application/json",
      },
      body: JSON.stringify(options),
    }),
  );
  return [response.status, await response.json()];
}

Deno.test("a token from the simulator has the requested permissions only", async () => {
  await using desk = await openDesk();
  const scope = "project_configuration:offerings:read";
  const [status, pair] = await tokenOf(desk, { scope });
  deepEqual([status, pair["scope"]], [201, scope]);
  const statusOf = async (method: string, path: string, body?: unknown) => {
    const headers = { Authorization: `Bearer ${pair["access_token"]}` };
    return (await desk.send(method, `/v2/projects/${desk.projectId}${path}`, body, headers)).status;
  };
  equal(await statusOf("GET", "/offerings"), 200);
  equal(await statusOf("POST", "/offerings", { lookup_key: "a", display_name: "A" }), 403);
  equal(await statusOf("GET", "/products"), 403);
});

Deno.test("a token from the simulator rotates only on request, and its options are validated", async () => {
  await using desk = await openDesk();
  const refreshed = async (options: object) => {
    const [, pair] = await tokenOf(desk, options);
    const response = await desk.service.fetch(
      new Request(`${BASE_URL}/oauth2/token`, {
        method: "POST",
        body: new URLSearchParams(refreshForm(String(pair["refresh_token"]))),
      }),
    );
    return (await response.json()).refresh_token !== undefined;
  };
  deepEqual([await refreshed({}), await refreshed({ rotates: true })], [false, true]);
  for (const wrong of [{ scope: "" }, { lifetime_ms: 999 }, { rotates: 1 }, { other: 1 }]) {
    equal((await tokenOf(desk, wrong))[0], 400, JSON.stringify(wrong));
  }
  equal((await tokenOf(desk, { account_email: "nobody@example.com" }))[0], 404);
});
