import { deepEqual, equal, match } from "node:assert/strict";
import type { SdkOfferings } from "../../../lib/resources/sdk_offerings.ts";
import { createApp, listAppPublicKeys, listApps } from "../../../lib/resources/apps.ts";
import {
  archiveOffering,
  createOffering,
  updateOffering,
} from "../../../lib/resources/offerings.ts";
import {
  attachPackageProducts,
  createPackage,
  detachPackageProducts,
  listPackages,
} from "../../../lib/resources/packages.ts";
import { setOfferingPaywall } from "../../../lib/resources/paywalls.ts";
import { archiveProduct, createProduct, listProducts } from "../../../lib/resources/products.ts";
import { getSdkOfferings } from "../../../lib/resources/sdk_offerings.ts";
import { insertApp } from "../../../lib/service/records/apps.ts";
import { type Desk, openDesk } from "../../support/harness.ts";
import { acrossProjects, inProject } from "../../../lib/service/store/mod.ts";

const PATH = "/v1/subscribers/ada/offerings";

Deno.test("an app gets the offerings with the packages that it can sell", async () => {
  await using desk = await openDesk();
  deepEqual(await read(desk, "app_store"), {
    current_offering_id: "default",
    offerings: [
      {
        identifier: "default",
        description: "Standard prices",
        metadata: null,
        packages: [
          { identifier: "$svc_monthly", platform_product_identifier: "notes.pro.monthly" },
          { identifier: "$svc_annual", platform_product_identifier: "notes.pro.annual" },
          { identifier: "$svc_lifetime", platform_product_identifier: "notes.pro.lifetime" },
        ],
      },
      {
        identifier: "winter_sale",
        description: "Winter sale",
        metadata: { badge: "Save 40 %" },
        packages: [{ identifier: "$svc_annual", platform_product_identifier: "notes.pro.annual" }],
      },
    ],
    placements: null,
    targeting: null,
  });
  deepEqual((await read(desk, "play_store")).offerings[0]?.packages, [
    {
      identifier: "$svc_monthly",
      platform_product_identifier: "notes_pro",
      platform_product_plan_identifier: "monthly",
    },
    {
      identifier: "$svc_annual",
      platform_product_identifier: "notes_pro",
      platform_product_plan_identifier: "annual",
    },
    { identifier: "$svc_lifetime", platform_product_identifier: "notes_lifetime" },
  ]);
  // A package without a product for the app is left out.
  deepEqual(namesIn(await read(desk, "svc_billing")), {
    default: ["$svc_monthly", "$svc_annual"],
    winter_sale: ["$svc_annual"],
  });
});

Deno.test("an app without products gets empty offerings", async () => {
  await using desk = await openDesk();
  const settings = { bundle_id: "com.example.other" };
  await createApp(desk.client, { type: "mac_app_store", name: "Mac", mac_app_store: settings });
  const { current_offering_id, offerings } = await read(desk, "mac_app_store");
  equal(current_offering_id, "default");
  deepEqual(offerings.map(({ packages }) => packages), [[], []]);
});

Deno.test("the current offering, archived ones and positions are up to date", async () => {
  await using desk = await openDesk();
  const { client } = desk;
  await updateOffering(client, "winter_sale", { is_current: true });
  await archiveOffering(client, "default");
  const product = await productOf(desk, "notes.pro.monthly");
  for (const [lookup_key, position] of [["no_place", null], ["first", 0]] as const) {
    const made = { offering_id: "winter_sale", lookup_key, display_name: "X", position };
    const { id } = await createPackage(client, made);
    await attachPackageProducts(client, id, [{ product_id: product }]);
  }
  const sdk = await read(desk, "app_store");
  equal(sdk.current_offering_id, "winter_sale");
  deepEqual(namesIn(sdk), { winter_sale: ["$svc_annual", "first", "no_place"] });
  await archiveProduct(client, product);
  deepEqual(namesIn(await read(desk, "app_store")), { winter_sale: ["$svc_annual"] });
});

Deno.test("a project without offerings returns none, and no current one", async () => {
  await using desk = await openDesk();
  for (const id of ["winter_sale", "default"]) {
    await desk.send("DELETE", `/v2/projects/${desk.projectId}/offerings/${id}`);
  }
  const { current_offering_id, offerings } = await read(desk, "app_store");
  deepEqual([current_offering_id, offerings], [null, []]);
});

Deno.test("of a product for old and one for new SDKs, the app gets the one for new SDKs", async () => {
  await using desk = await openDesk();
  const { client } = desk;
  const [monthly] = (await listPackages(client, "default")).items;
  const id = monthly?.id ?? "";
  const choice = (product_id: string, eligibility_criteria: string) => ({
    product_id,
    eligibility_criteria,
  });
  const old = await productOf(desk, "notes_pro:monthly");
  const fresh = await productOf(desk, "notes_pro:annual");
  await detachPackageProducts(client, id, [old]);
  await attachPackageProducts(client, id, [choice(old, "google_sdk_lt_6")]);
  deepEqual(namesIn(await read(desk, "play_store"))["default"], ["$svc_annual", "$svc_lifetime"]);
  await attachPackageProducts(client, id, [choice(fresh, "google_sdk_ge_6")]);
  const [first] = (await read(desk, "play_store")).offerings[0]?.packages ?? [];
  deepEqual(first, {
    identifier: "$svc_monthly",
    platform_product_identifier: "notes_pro",
    platform_product_plan_identifier: "annual",
  });
});

Deno.test("a product of the test store is shown once it has a price", async () => {
  await using desk = await openDesk();
  const { client, service, projectId } = desk;
  const app = await service.store.write(async (tx) => {
    const project = await acrossProjects(tx).selectFrom("projects").selectAll()
      .executeTakeFirstOrThrow();
    return await insertApp(
      { tx: inProject(tx, project.id), project, now: 1 },
      "Test store",
      "test_store",
      {},
    );
  });
  const { id } = await createProduct(client, {
    app_id: app.id,
    store_identifier: "a:b",
    type: "subscription",
    title: "A",
    subscription: { duration: "P1M" },
  });
  const [monthly] = (await listPackages(client, "default")).items;
  await attachPackageProducts(client, monthly?.id ?? "", [{ product_id: id }]);
  deepEqual(namesIn(await read(desk, "test_store")), { default: [], winter_sale: [] });
  await service.store.write((tx) =>
    acrossProjects(tx).updateTable("products").set({ price_micros: 0, price_currency: "USD" })
      .where("project_id", "=", projectId).where("id", "=", id).execute()
  );
  // Only identifiers of Google Play have two parts. The SDK of the test store reads public names.
  deepEqual((await read(desk, "test_store")).offerings[0]?.packages, [
    { identifier: "$rc_monthly", platform_product_identifier: "a:b" },
  ]);
});

Deno.test("the content of a paywall comes with its offering", async () => {
  await using desk = await openDesk();
  const { client } = desk;
  const template = { template_name: "1", config: { colors: ["#fff"] } };
  const components = { components_config: { base: {} }, default_locale: "en_US" };
  await setOfferingPaywall(client, "default", template);
  await setOfferingPaywall(client, "winter_sale", components);
  await createOffering(client, { lookup_key: "plain", display_name: "Plain" });
  await desk.run("paywalls", "create", "--offering", "plain");
  const { offerings } = await read(desk, "app_store");
  deepEqual(offerings.map((one) => [one.paywall, one.paywall_components]), [
    [template, undefined],
    [undefined, components],
    [undefined, undefined],
  ]);
});

Deno.test("any user id is accepted, and reading creates no customer", async () => {
  await using desk = await openDesk();
  const key = await keyOf(desk, "app_store");
  const reader = desk.client.with({ credential: key });
  const expected = await getSdkOfferings(reader, "ada");
  const customers = async () => {
    const path = `/v2/projects/${desk.projectId}/customers?limit=100`;
    return await (await desk.send("GET", path)).json();
  };
  const before = await customers();
  for (const user of ["$RCAnonymousID:0", "a%b", "Null", "😀 ?#", "x".repeat(1500)]) {
    deepEqual(await getSdkOfferings(reader, user), expected, user);
  }
  deepEqual(await customers(), before);
  const long = `/v1/subscribers/${"x".repeat(1501)}/offerings`;
  await refused(desk, long, { Authorization: `Bearer ${key}` }, 400, 7256);
  for (const user of ["null", "no_user", "a/b", "/", "\0", "0", "[object Object]", " "]) {
    const path = `/v1/subscribers/${encodeURIComponent(user)}/offerings`;
    await refused(desk, path, { Authorization: `Bearer ${key}` }, 400, 7256);
  }
  const nobody = "/v1/subscribers//offerings";
  await refused(desk, nobody, { Authorization: `Bearer ${key}` }, 400, 7220);
  await refused(desk, nobody, { Authorization: "Bearer nope" }, 401, 7225);
});

Deno.test("the key is accepted with and without the word Bearer", async () => {
  await using desk = await openDesk();
  const key = await keyOf(desk, "svc_billing");
  for (const header of [`Bearer ${key}`, `bearer ${key}`, key]) {
    equal((await desk.send("GET", PATH, undefined, { Authorization: header })).status, 200);
  }
  for (const header of ["", "Bearer", "Bearer ", "appl_unknown", `Bearer x${key}`, "Basic abc"]) {
    const answer = await refused(desk, PATH, { Authorization: header }, 401, 7225);
    equal(answer.headers.get("WWW-Authenticate"), "Bearer");
  }
  const token = await desk.send("GET", PATH);
  deepEqual([token.status, (await token.json()).code], [403, 7243]);
  for (const secret of ["sk_1", "atk_1", "rtk_1", "adm_1"]) {
    await refused(desk, PATH, { Authorization: `Bearer ${secret}` }, 403, 7243);
  }
});

Deno.test("the sandbox key of a web app shows the same", async () => {
  await using desk = await openDesk();
  const [production = "", sandbox = ""] = await keysOf(desk, "svc_billing");
  match(sandbox, /_sb_/);
  deepEqual(
    await getSdkOfferings(desk.client.with({ credential: sandbox }), "ada"),
    await getSdkOfferings(desk.client.with({ credential: production }), "ada"),
  );
});

Deno.test("an unknown platform is refused", async () => {
  await using desk = await openDesk();
  const Authorization = `Bearer ${await keyOf(desk, "app_store")}`;
  for (const platform of ["iOS", "android", "web", "stripe", "roku", "paddle", "amazon"]) {
    const headers = { Authorization, "X-Platform": platform };
    equal((await desk.send("GET", PATH, undefined, headers)).status, 200, platform);
  }
  await refused(desk, PATH, { Authorization, "X-Platform": "toaster" }, 400, 7000);
});

Deno.test("a 404 has the form of version 1", async () => {
  await using desk = await openDesk();
  const Authorization = `Bearer ${await keyOf(desk, "app_store")}`;
  for (const path of ["/v1/", "/v1/subscribers", `${PATH}/default`]) {
    await refused(desk, path, { Authorization }, 404, 7259);
    await refused(desk, path, { Authorization: "x" }, 401, 7225);
  }
  await refused(desk, "/v1/subscribers//", { Authorization }, 404, 7259);
  await refused(desk, "/v1/subscribers/", { Authorization }, 400, 7220);
  await refused(desk, "/v1/subscribers/%FF/offerings", { Authorization }, 404, 7259);
  const post = await desk.send("POST", PATH, {}, { Authorization });
  deepEqual([post.status, post.headers.get("Allow")], [405, "GET"]);
  equal((await post.json()).code, 7226);
});

Deno.test("an access token at an unknown address gets 404", async () => {
  await using desk = await openDesk();
  for (const path of ["/v1/", "/v1/subscribers", `${PATH}/default`]) {
    await refused(desk, path, {}, 404, 7259);
    await refused(desk, path, { Authorization: "Bearer atk_unknown" }, 403, 7243);
  }
  await refused(desk, PATH, {}, 403, 7243);
});

Deno.test("a public key gives access to nothing else", async () => {
  await using desk = await openDesk();
  const headers = { Authorization: `Bearer ${await keyOf(desk, "app_store")}` };
  const path = `/v2/projects/${desk.projectId}/offerings`;
  const answer = await desk.send("GET", path, undefined, headers);
  equal(answer.status, 403);
  equal((await answer.json()).type, "authorization_error");
});

Deno.test("the document describes the credentials and answers of SDKs", async () => {
  await using desk = await openDesk();
  const response = await desk.send("GET", "/openapi.json");
  const { paths, components } = await response.json();
  const { get } = paths["/v1/subscribers/{user}/offerings"];
  equal(get.operationId, "getSdkOfferings");
  deepEqual(get.security, [{ sdk_key: [] }]);
  deepEqual(components.securitySchemes.sdk_key, { type: "http", scheme: "bearer" });
  equal(
    get.responses[401].content["application/json"].schema.$ref,
    "#/components/schemas/SdkError",
  );
  deepEqual(components.schemas.SdkError.required, ["code", "message"]);
  const { parameters } = paths["/v1/subscribers/{user}/workflows"].get;
  const query = parameters.filter((one: { in: string }) => one.in === "query");
  deepEqual(query.map(({ name }: { name: string }) => name), ["type"]);
  const { additionalProperties: currency } =
    components.schemas.SdkVirtualCurrencies.properties.virtual_currencies;
  const { balance } = currency.properties;
  deepEqual(balance, { type: "integer", minimum: 0, maximum: 2_000_000_000 });
});

/** The answer to the app of a type. */
async function read(desk: Desk, type: string): Promise<SdkOfferings> {
  return await getSdkOfferings(desk.client.with({ credential: await keyOf(desk, type) }), "ada");
}

/** Sends a read that must be refused. */
async function refused(
  desk: Desk,
  path: string,
  headers: HeadersInit,
  status: number,
  code: number,
): Promise<Response> {
  const answer = await desk.send("GET", path, undefined, headers);
  const body: Record<string, unknown> = await answer.json();
  deepEqual(Object.keys(body), ["code", "message"]);
  deepEqual([answer.status, body["code"]], [status, code], `${path}: ${body["message"]}`);
  equal(answer.headers.get("Content-Type"), "application/json");
  match(answer.headers.get("X-Request-Id") ?? "", /^req/);
  return answer;
}

/** Lookup keys of packages by their offerings' lookup keys. */
function namesIn({ offerings }: SdkOfferings): Record<string, string[]> {
  return Object.fromEntries(offerings.map(({ identifier, packages }) => [
    identifier,
    packages.map((one) => one.identifier),
  ]));
}

/** The public keys of the app of a type. */
async function keysOf({ client }: Desk, type: string): Promise<string[]> {
  const app = (await listApps(client)).items.find((one) => one.type === type);
  return (await listAppPublicKeys(client, app?.id ?? "")).items.map(({ key }) => key);
}

/** The first of them. */
async function keyOf(desk: Desk, type: string): Promise<string> {
  return (await keysOf(desk, type))[0] ?? "";
}

/** The id of a product with a store identifier. */
async function productOf({ client }: Desk, storeIdentifier: string): Promise<string> {
  const { items } = await listProducts(client, { limit: 100 });
  return items.find(({ store_identifier }) => store_identifier === storeIdentifier)?.id ?? "";
}
