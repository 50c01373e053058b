import { deepEqual, equal, match } from "node:assert/strict";
import { BASE_URL, openDesk } from "../../support/harness.ts";
import { appOf } from "../../support/sdk_fixture.ts";
import { simulate } from "../../support/simulation.ts";

Deno.test("an answer to a read has a tag, and one to a change has none", async () => {
  await using desk = await openDesk();
  const { key } = await appOf(desk, "app_store");
  const send = (
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: object,
  ) =>
    desk.service.fetch(
      new Request(BASE_URL + path, {
        method,
        headers: { Authorization: key, "Content-Type": "application/json", ...headers },
        body: body ? JSON.stringify(body) : null,
      }),
    );
  await send("GET", "/v1/subscribers/ada");
  const first = await send("GET", "/v1/subscribers/ada");
  const tag = first.headers.get("X-RevenueCat-ETag") ?? "";
  match(tag, /^[0-9a-f]{32}$/);
  const same = await send("GET", "/v1/subscribers/ada", { "X-RevenueCat-ETag": tag });
  deepEqual([same.status, await same.text()], [304, ""]);
  equal(same.headers.get("X-RevenueCat-ETag"), tag);
  const other = await send("GET", "/v1/subscribers/ada", { "X-RevenueCat-ETag": `${tag}0` });
  equal(other.status, 200);
  const attributes = { attributes: { a: { value: "b", updated_at_ms: 1 } } };
  const change = await send("POST", "/v1/subscribers/ada/attributes", {}, attributes);
  equal(change.headers.get("X-RevenueCat-ETag"), null);
  equal(change.ok, true);
});

Deno.test("dates are those of the device, or the project's own where a request asks for them", async () => {
  const now = Date.UTC(2026, 0, 31, 12);
  await using desk = await openDesk({ clock: () => now });
  const { key } = await appOf(desk, "app_store");
  await simulate(desk).advance("P1D");
  const dateFor = async (dates?: string) => {
    const headers = { Authorization: key, ...dates !== undefined && { "X-Dates": dates } };
    const url = `${BASE_URL}/v1/subscribers/ada`;
    const answer = await desk.service.fetch(new Request(url, { headers }));
    return (await answer.json()).request_date;
  };
  equal(await dateFor(), "2026-01-31T12:00:00Z");
  equal(await dateFor("device"), "2026-01-31T12:00:00Z");
  for (const word of ["project", "Project"]) equal(await dateFor(word), "2026-02-01T12:00:00Z");
});

Deno.test("with a key an empty user differs from an unknown address", async () => {
  await using desk = await openDesk();
  const { key } = await appOf(desk, "app_store");
  const { access_token } = await desk.service.oauth.issueToken({});
  const ask = async (path: string, Authorization: string) => {
    const request = new Request(BASE_URL + path, { headers: { Authorization } });
    const answer = await desk.service.fetch(request);
    const { code, message } = await answer.json();
    return [answer.status, code, message];
  };
  const empty = "An app user id must have at least 1 character";
  deepEqual(await ask("/v1/subscribers//offerings", key), [400, 7220, empty]);
  const nothing = "There is nothing at GET /v1/nothing";
  deepEqual(await ask("/v1/nothing", key), [404, 7259, nothing]);
  deepEqual(await ask("/v1/nothing", access_token), [404, 7259, nothing]);
  equal((await ask("/v1/nothing", `${access_token}x`))[0], 403);
  equal((await ask("/v1/subscribers/ada", access_token))[0], 403);
  const cards = "This service accepts no cards: configure the SDK with the key of a test store, " +
    "test_…, and buy there";
  deepEqual(await ask("/rcbilling/v1/checkout/start", key), [501, 7226, cards]);
  equal((await ask("/rcbilling/v1/checkout", key))[0], 404);
  equal((await ask("/rcbilling/v1/checkout/start", ""))[0], 401);
});
