import { deepEqual, equal, ok } from "node:assert/strict";
import { fullPath } from "../../../lib/service/contract/route.ts";
import { operations } from "../../../lib/service/routes/mod.ts";
import { adminRoutes, simRoutes } from "../../../lib/service/sim/routes.ts";
import { sendRaw, signIn } from "../../support/api.ts";
import { type Desk, openDesk } from "../../support/harness.ts";

/** What makes several items for each list, as command lines. */
const LINES = [
  ...["AAA", "BBB", "CCC"].flatMap((code) => [
    `virtual-currencies create --code ${code} --name ${code}`,
    `offerings create --id ${code} --display-name ${code}`,
    `paywalls create --offering ${code}`,
    `webhooks create --name ${code} --url $receiver --events initial_purchase`,
  ]),
  "projects create --name Second",
  "projects create --name Third",
  "entitlements create --id plus --display-name Plus",
  ...["plus", "sync"].flatMap((key) => [
    `entitlements attach ${key} $notes_web_monthly`,
    `entitlements attach ${key} $notes.pro.lifetime`,
  ]),
  "simulate purchase $RCAnonymousID:a notes_web_monthly --price 9",
  "simulate alias $RCAnonymousID:a ada",
  "simulate purchase ada notes.pro.monthly --price 9.99",
  "simulate purchase ada notes_pro:monthly --price 5",
  "simulate purchase ada notes.pro.lifetime --price 99",
  "simulate purchase ada notes_lifetime --price 99",
  "simulate purchase bob notes_lifetime --price 99",
  "simulate give ada AAA 5",
  "simulate give ada BBB 5",
  "simulate give ada CCC 5",
  "subscribers attributes ada --set a=1 --set b=2 --set c=3",
  "clock advance P3M",
];

/** The lists below an object, with the object. */
const OBJECTS: Readonly<Record<string, string>> = {
  "entitlements/{id}": "entitlements/pro",
  "offerings/{id}": "offerings/default",
  "packages/{id}": "packages/$package",
  "customers/{id}": "customers/ada",
  "subscriptions/{id}": "subscriptions/$subscription",
  "purchases/{id}": "purchases/$purchase",
  "webhooks/{id}": "webhooks/$webhook",
};

/** A page of a list. */
interface Listed {
  /** Its items. */
  items: { id: string; [field: string]: unknown }[];
  /** The address of the next page. */
  next_page: string | null;
}

/** Reads a page. Pages of the simulator need its secret. */
async function pageAt(desk: Desk, path: string, headers: HeadersInit): Promise<Listed> {
  const secret = { Authorization: `Bearer ${desk.service.adminSecret}` };
  const init = { headers: path.startsWith("/_sim/") ? secret : headers };
  const response = await sendRaw(desk, path, init);
  const page = await response.json();
  equal(response.status, 200, `${path}: ${JSON.stringify(page)}`);
  return page;
}

/** The paths of all lists that have pages, with names for ids. */
function pagedPaths(): string[] {
  const all = [
    ...operations.map((route) => ({ ...route, path: fullPath(route) })),
    ...simRoutes,
    ...adminRoutes,
  ];
  return all.flatMap(({ method, path, query }) =>
    method === "GET" && query && Object.hasOwn(query.shape, "starting_after") ? [path] : []
  );
}

Deno.test("every list has the same items in pages of any size", async () => {
  using receiver = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  await using desk = await openDesk({ webhookTargets: "loopback" });
  desk.env.CLI_SERVICE_ADMIN_SECRET = desk.service.adminSecret;
  const headers = await signIn(desk, {});
  const at = `/v2/projects/${desk.projectId}`;
  const first = async (path: string) => (await pageAt(desk, at + path, headers)).items[0]?.id ?? "";
  const ids: Record<string, string> = {
    $receiver: `http://127.0.0.1:${receiver.addr.port}/`,
    $package: await first("/offerings/default/packages"),
  };
  for (const item of (await pageAt(desk, `${at}/products?limit=100`, headers)).items) {
    ids[`$${item.store_identifier}`] = item.id;
  }
  for (const line of LINES) {
    const { code, err } = await desk.run(...line.split(" ").map((word) => ids[word] ?? word));
    equal(code, 0, `${line}: ${err}`);
  }
  ids.$subscription = await first("/customers/ada/subscriptions");
  ids.$purchase = await first("/customers/ada/purchases");
  ids.$webhook = await first("/integrations/webhooks");
  const paths = pagedPaths();
  ok(paths.length >= 26, `${paths.length} lists`);
  for (const template of paths) {
    const [object = ""] = /\w+\/\{id\}/.exec(template) ?? [];
    const path = template.replace("{project_id}", desk.projectId)
      .replace(object, OBJECTS[object] ?? object).replace(/\$\w+/, (name) => ids[name] ?? name);
    const whole = await pageAt(desk, `${path}?limit=100`, headers);
    ok(whole.items.length >= 2, `${path} has ${whole.items.length} items`);
    equal(whole.next_page, null, path);
    for (const limit of [1, 2, whole.items.length - 1, whole.items.length]) {
      const items: Listed["items"] = [];
      let pages = 0;
      for (let next: string | null = `${path}?limit=${limit}`; next !== null; pages++) {
        const page: Listed = await pageAt(desk, next, headers);
        items.push(...page.items);
        next = page.next_page;
      }
      deepEqual(items, whole.items, `${path} by ${limit}`);
      equal(pages, Math.ceil(whole.items.length / limit), `${path} by ${limit}`);
    }
  }
});
