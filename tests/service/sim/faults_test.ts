import { deepEqual, equal, notEqual, rejects } from "node:assert/strict";
import { createClient } from "../../../lib/client.ts";
import { getOffering, listOfferings } from "../../../lib/resources/offerings.ts";
import { openPostOffice } from "../../support/delivery_fixture.ts";
import { BASE_URL, openDesk } from "../../support/harness.ts";
import { startServer } from "../../support/server.ts";

Deno.test("injected faults refuse, delay and cut off so many requests", async () => {
  await using office = await openPostOffice();
  const { desk, time } = office;
  const admin = async (method: string, body?: unknown) => {
    const headers = new Headers({ Authorization: `Bearer ${desk.service.adminSecret}` });
    if (body !== undefined) headers.set("Content-Type", "application/json");
    const text = body === undefined ? null : JSON.stringify(body);
    return await desk.service.fetch(
      new Request(`${BASE_URL}/_sim/faults`, { method, headers, body: text }),
    );
  };
  const offerings = `/v2/projects/${desk.projectId}/offerings`;
  const statusOf = async (path = offerings, method = "GET") =>
    (await desk.send(method, path, method === "POST" ? {} : undefined)).status;

  const path = "/v2/projects/*/offerings";
  equal((await admin("POST", { path, method: "GET", status: 503, count: 2 })).status, 201);
  equal(await statusOf(`/v2/projects/${desk.projectId}/products`), 200);
  equal(await statusOf(`${offerings}/default`), 200);
  equal(await statusOf(offerings, "POST"), 400);
  deepEqual([await statusOf(), await statusOf(), await statusOf()], [503, 503, 200]);

  await admin("POST", { path: "/v2/**", status: 429, retry_after_s: 7 });
  const limited = await desk.send("GET", offerings);
  deepEqual([limited.status, limited.headers.get("Retry-After")], [429, "7"]);
  equal((await limited.json()).type, "rate_limit_error");

  await admin("POST", { delay_ms: 5000 });
  const late = statusOf();
  // On PostgreSQL the fault is taken from the database first.
  while (time.next() === undefined) await new Promise((resolve) => setTimeout(resolve, 1));
  time.pass(5000);
  equal(await late, 200);

  const both = { status: 500, cut: "before" };
  for (const wrong of [{}, { status: 200 }, { cut: "now" }, { path: "v2", status: 500 }, both]) {
    equal((await admin("POST", wrong)).status, 400, JSON.stringify(wrong));
  }
  await admin("POST", { status: 500, count: 100 });
  equal((await (await admin("GET")).json()).items[0].count, 100);
  deepEqual((await (await admin("DELETE")).json()).items, []);
  equal(await statusOf(), 200);
  equal((await admin("PUT", {})).status, 405);
  const stranger = new Request(`${BASE_URL}/_sim/faults`, { method: "DELETE" });
  equal((await desk.service.fetch(stranger)).status, 401);
});

Deno.test("an injected error has the usual form of its address", async () => {
  await using desk = await openDesk();
  const bodyOf = async (path: string, status: number) => {
    const ordered = await desk.service.fetch(
      new Request(`${BASE_URL}/_sim/faults`, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${desk.service.adminSecret}`,
          "Content-Type": "application/json",
        },
        body: JSON.stringify({ path, status }),
      }),
    );
    equal(ordered.status, 201);
    const response = await desk.service.fetch(new Request(BASE_URL + path));
    equal(response.status, status);
    return await response.json();
  };
  const offerings = `/v2/projects/${desk.projectId}/offerings`;
  const message = "This error was set under /_sim/faults";
  const common = { object: "error", message };
  for (
    const [status, type, retryable] of [
      [500, "server_error", true],
      [502, "server_error", true],
      [418, "invalid_request", false],
    ] as const
  ) deepEqual(await bodyOf(offerings, status), { ...common, type, retryable });
  const sdk = "/v1/subscribers/ada/offerings";
  deepEqual(await bodyOf(sdk, 500), { code: 7110, message });
  const oauth = (error: string) => ({ error, error_description: message });
  deepEqual(await bodyOf("/oauth2/token", 500), oauth("server_error"));
  deepEqual(await bodyOf("/oauth2/token", 499), oauth("invalid_request"));
});

Deno.test("a request of any method can be refused, and of no other", async () => {
  await using desk = await openDesk();
  const methods = ["GET", "POST", "PUT", "DELETE"];
  for (const method of methods) {
    const ordered = await desk.service.fetch(
      new Request(`${BASE_URL}/_sim/faults`, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${desk.service.adminSecret}`,
          "Content-Type": "application/json",
        },
        body: JSON.stringify({ path: "/v2/projects", method, status: 418 }),
      }),
    );
    equal(ordered.status, 201, method);
    const statusOf = async (method: string) =>
      (await desk.service.fetch(new Request(`${BASE_URL}/v2/projects`, { method }))).status;
    for (const other of methods) if (other !== method) notEqual(await statusOf(other), 418);
    equal(await statusOf(method), 418, method);
    notEqual(await statusOf(method), 418, method);
  }
});

Deno.test("a connection is cut before or after the effect", async () => {
  await using server = await startServer({ empty: false });
  const { baseUrl, projectId, adminSecret } = server;
  const admin = async (path: string, body: unknown) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${adminSecret}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    return await response.json();
  };
  const { access_token } = await admin("/_sim/tokens", {});
  const client = createClient({
    baseUrl,
    projectId: projectId ?? "",
    credential: access_token,
    retries: 0,
  });
  const create = async (lookup_key: string) => {
    const response = await fetch(`${baseUrl}/v2/projects/${projectId}/offerings`, {
      method: "POST",
      headers: { Authorization: `Bearer ${access_token}`, "Content-Type": "application/json" },
      body: JSON.stringify({ lookup_key, display_name: "A" }),
    });
    return await response.json();
  };
  await admin("/_sim/faults", { method: "POST", cut: "before" });
  await rejects(create("early"), TypeError);
  await admin("/_sim/faults", { method: "POST", cut: "after" });
  await rejects(create("late"), TypeError);
  const keys = (await listOfferings(client)).items.map(({ lookup_key }) => lookup_key);
  deepEqual(keys, ["default", "winter_sale", "late"]);
  equal((await getOffering(client, "late")).display_name, "A");
});
