import { deepEqual, equal, match, ok } from "node:assert/strict";
import { at, openCounter } from "../../support/cli_fixture.ts";
import { COMING, SPECIFIED } from "../../support/specified_commands.ts";

/** The requests of each command of the catalogue, with a part of its output. */
const RUNS: [line: string, sends: [line: string, body?: unknown][], shows: RegExp][] = [
  ["projects list", [["GET /v2/projects?limit=100"]], /^\$project +Notes/m],
  ["projects view", [["GET /v2/projects/$project"]], /^name +Notes$/m],
  ["projects view $project", [["GET /v2/projects/$project"]], /^id +\$project$/m],
  ["projects create --name Two", [["POST /v2/projects", { name: "Two" }]], /^name +Two$/m],
  ["apps list", [["GET /apps?limit=100"]], /^\$app_store +Notes for iOS/m],
  ["apps view $play_store", [["GET /apps/$play_store"]], /play_store\.package_name +com\.example/],
  ["apps public-keys $app_store", [["GET /apps/$app_store/public_api_keys"]], /production +appl_/],
  [
    "apps storekit-config $app_store",
    [["GET /apps/$app_store/store_kit_config"]],
    /^contents\.products +notes\.pro\.lifetime$/m,
  ],
  [
    "apps create --type app_store --name A --bundle a.b",
    [["POST /apps", { type: "app_store", name: "A", app_store: { bundle_id: "a.b" } }]],
    /^app_store\.bundle_id +a\.b$/m,
  ],
  [
    "apps create --type mac_app_store --name A --bundle a.c",
    [["POST /apps", { type: "mac_app_store", name: "A", mac_app_store: { bundle_id: "a.c" } }]],
    /^mac_app_store\.bundle_id +a\.c$/m,
  ],
  [
    "apps create --type play_store --name A --package a.d",
    [["POST /apps", { type: "play_store", name: "A", play_store: { package_name: "a.d" } }]],
    /^play_store\.package_name +a\.d$/m,
  ],
  [
    "apps create --type=amazon --name=A --package=a.e",
    [["POST /apps", { type: "amazon", name: "A", amazon: { package_name: "a.e" } }]],
    /^amazon\.package_name +a\.e$/m,
  ],
  [
    "apps create --file stripe.json --name B",
    [["POST /apps", { type: "stripe", name: "B", stripe: { stripe_account_id: null } }]],
    /^stripe\.stripe_account_id +-$/m,
  ],
  ["apps update $app_store --name C", [["POST /apps/$app_store", { name: "C" }]], /^name +C$/m],
  [
    "apps update $app_store --file key.json",
    [["POST /apps/$app_store", { app_store: { app_store_connect_api_key: "k" } }]],
    /^app_store\.app_store_connect_api_key_configured +yes$/m,
  ],
  ["apps delete STRIPE -y", [["DELETE /apps/STRIPE"]], /STRIPE/],
  ["products list", [["GET /products?limit=100"]], /notes\.pro\.monthly +subscription/],
  ["products view $notes_lifetime", [["GET /products/$notes_lifetime"]], /^id +\$notes_lifetime$/m],
  [
    "products create -f product.json",
    [["POST /products", { store_identifier: "x.y", type: "subscription", app_id: "$app_store" }]],
    /^store_identifier +x\.y$/m,
  ],
  [
    "products update $notes_lifetime --display-name D",
    [["POST /products/$notes_lifetime", { display_name: "D" }]],
    /^display_name +D$/m,
  ],
  [
    "products archive $notes_lifetime",
    [["POST /products/$notes_lifetime/actions/archive", {}]],
    /^state +inactive$/m,
  ],
  [
    "products unarchive $notes_lifetime",
    [["POST /products/$notes_lifetime/actions/unarchive", {}]],
    /^state +active$/m,
  ],
  [
    "products push-to-store $notes.pro.monthly",
    [["POST /products/$notes.pro.monthly/actions/push_to_store", {}]],
    /^created_product\.product_identifier +notes\.pro\.monthly$/m,
  ],
  ["products delete $notes_lifetime -y", [["DELETE /products/$notes_lifetime"]], /./],
  ["entitlements list", [["GET /entitlements?limit=100"]], /^pro +Everything in Notes Pro/m],
  ["entitlements view pro", [["GET /entitlements/pro"]], /^lookup_key +pro$/m],
  [
    "entitlements products sync",
    [["GET /entitlements/sync/products?limit=100"]],
    /notes_pro:annual +subscription/,
  ],
  [
    "entitlements create --id gold --display-name Gold",
    [["POST /entitlements", { lookup_key: "gold", display_name: "Gold" }]],
    /^lookup_key +gold$/m,
  ],
  [
    "entitlements update sync --display-name E",
    [["POST /entitlements/sync", { display_name: "E" }]],
    /^display_name +E$/m,
  ],
  [
    "entitlements attach sync $notes.pro.monthly $notes_pro:monthly",
    [["POST /entitlements/sync/actions/attach_products", {
      product_ids: ["$notes.pro.monthly", "$notes_pro:monthly"],
    }], ["GET /entitlements/sync/products?limit=100"]],
    /^lookup_key +sync$[^]*^Products \(\d+\)$[^]*notes_pro:monthly/m,
  ],
  [
    "entitlements detach sync $notes.pro.monthly",
    [["POST /entitlements/sync/actions/detach_products", { product_ids: ["$notes.pro.monthly"] }], [
      "GET /entitlements/sync/products?limit=100",
    ]],
    /^lookup_key +sync$[^]*^Products \(\d+\)$/m,
  ],
  [
    "entitlements archive sync",
    [["POST /entitlements/sync/actions/archive", {}]],
    /^state +inactive$/m,
  ],
  [
    "entitlements unarchive sync",
    [["POST /entitlements/sync/actions/unarchive", {}]],
    /^state +active$/m,
  ],
  ["entitlements delete sync --confirm", [["DELETE /entitlements/sync"]], /\$ent_sync/],
  ["offerings list", [["GET /offerings?limit=100"]], /^\* +default +Standard prices/m],
  [
    "offerings view default",
    [
      ["GET /offerings/default"],
      ["GET /offerings/default/packages?limit=100&expand=items.product"],
    ],
    /^lookup_key +default\n[^]*\n0 +\$svc_monthly +Monthly +notes\.pro\.monthly/m,
  ],
  ["offerings view default --no-packages", [["GET /offerings/default"]], /^lookup_key +default$/m],
  [
    "offerings create --id spring --display-name Spring",
    [["POST /offerings", { lookup_key: "spring", display_name: "Spring" }]],
    /^lookup_key +spring$/m,
  ],
  [
    "offerings update spring --display-name F",
    [["POST /offerings/spring", { display_name: "F" }]],
    /^display_name +F$/m,
  ],
  [
    "offerings set-current spring",
    [["POST /offerings/spring", { is_current: true }]],
    /^is_current +yes$/m,
  ],
  ["offerings archive default", [["POST /offerings/default/actions/archive", {}]], /inactive$/m],
  ["offerings unarchive default", [["POST /offerings/default/actions/unarchive", {}]], / active$/m],
  ["offerings delete default --yes", [["DELETE /offerings/default"]], /\$offer_default/],
  [
    "packages list",
    [
      ["GET /offerings?limit=100"],
      ["GET /offerings/$offer_winter_sale/packages?limit=100"],
      ["GET /offerings/SPRING/packages?limit=100"],
    ],
    /^winter_sale +0 +\$svc_annual +Annual, reduced/m,
  ],
  [
    "packages list -o winter_sale",
    [["GET /offerings/winter_sale"], ["GET /offerings/winter_sale/packages?limit=100"]],
    /^winter_sale +0 +\$svc_annual/m,
  ],
  [
    "packages create winter_sale --id weekly --display-name Weekly",
    [["POST /packages", {
      position: 0,
      lookup_key: "weekly",
      display_name: "Weekly",
      offering_id: "winter_sale",
    }]],
    /^position +0$/m,
  ],
  ["packages view WEEKLY", [["GET /packages/WEEKLY"]], /^lookup_key +weekly$/m],
  [
    "packages update WEEKLY --display-name G --position 3",
    [["POST /packages/WEEKLY", { display_name: "G", position: 3 }]],
    /^position +3$/m,
  ],
  [
    "packages attach WEEKLY $notes.pro.monthly $notes_pro:monthly --eligibility google_sdk_ge_6",
    [["POST /packages/WEEKLY/actions/attach_products", {
      products: [
        { product_id: "$notes.pro.monthly", eligibility_criteria: "google_sdk_ge_6" },
        { product_id: "$notes_pro:monthly", eligibility_criteria: "google_sdk_ge_6" },
      ],
    }], ["GET /packages/WEEKLY/products?limit=100"]],
    /^lookup_key +weekly$[^]*^Products \(2\)$/m,
  ],
  [
    "packages products WEEKLY",
    [["GET /packages/WEEKLY/products?limit=100"]],
    /notes_pro:monthly +subscription +Pro, monthly +google_sdk_ge_6$/m,
  ],
  [
    "packages detach WEEKLY $notes.pro.monthly",
    [["POST /packages/WEEKLY/actions/detach_products", { product_ids: ["$notes.pro.monthly"] }], [
      "GET /packages/WEEKLY/products?limit=100",
    ]],
    /^lookup_key +weekly$[^]*^Products \(1\)$/m,
  ],
  ["packages delete WEEKLY -y", [["DELETE /packages/WEEKLY"]], /WEEKLY/],
  [
    "offerings preview --as ada --app-id $app_store",
    [["GET /apps/$app_store/public_api_keys"]],
    /^winter_sale +\$svc_annual +notes\.pro\.annual$/m,
  ],
  ["collaborators list", [["GET /collaborators?limit=100"]], /owner@example/],
  ["audit-logs list --all", [["GET /audit_logs?limit=100"]], /package_deleted +owner@/],
  ["version", [], /^cli \d+\.\d+\.\d+ \(\w+\/\w+, Deno [\d.]+\)$/m],
];

Deno.test("every command of the catalogue sends the right request and shows the answer", async () => {
  const files: Record<string, string> = {
    "key.json": '{"app_store": {"app_store_connect_api_key": "k"}}',
    "stripe.json": '{"type": "stripe", "name": "A", "stripe": {"stripe_account_id": null}}',
  };
  await using counter = await openCounter({ files });
  const { ids } = counter;
  const product = { store_identifier: "x.y", type: "subscription", app_id: ids["$app_store"] };
  files["product.json"] = JSON.stringify(product);
  for (const [line, sends, shows] of RUNS) {
    const { code, out, err } = await counter.run(line);
    equal(err.replace(/^(At|De)tached .*\n$/, ""), "", `cli ${line}`);
    equal(code, 0, `cli ${line}`);
    Object.assign(ids, namesIn(line, out));
    const arrived = counter.arrived.map(({ line, body }) =>
      body === undefined ? [line] : [line, JSON.parse(counter.short(JSON.stringify(body)))]
    );
    deepEqual(arrived, sends, `cli ${line}`);
    match(counter.short(out), shows, `cli ${line}`);
  }
  const run = new Set(RUNS.map(([line]) => line.split(" ").slice(0, 2).join(" ")));
  const groups = ["projects", "apps", "products", "entitlements", "offerings", "packages"];
  for (const group of [...groups, "collaborators", "audit-logs"]) {
    for (const [name] of SPECIFIED[group]?.rows ?? []) {
      const words = `${group} ${name}`;
      ok(run.has(words) || COMING.has(words), `cli ${words} is not run`);
    }
  }
});

/** Short names for created objects. */
function namesIn(line: string, out: string): Record<string, string> {
  const [, id = ""] = /^id +(\S+)$/m.exec(out) ?? [];
  if (line.startsWith("packages create")) return { WEEKLY: id };
  if (line.startsWith("apps create --file")) return { STRIPE: id };
  return line.startsWith("offerings create") ? { SPRING: id } : {};
}

Deno.test("every alias of a group works like its name", async () => {
  await using counter = await openCounter();
  for (const [name, { aliases, rows }] of Object.entries(SPECIFIED)) {
    if (COMING.has(name) || !rows.some(([command]) => command === "list")) continue;
    const expected = await counter.run(`${name} list`);
    for (const alias of aliases) {
      deepEqual((await counter.run(`${alias} list`)).out, expected.out, `cli ${alias} list`);
    }
  }
});

Deno.test("an update merges its file with its flags, and flags win", async () => {
  await using counter = await openCounter({
    stdin: '\ufeff{"display_name": "From the file", "metadata": {"a": [1, {"b": null}]}}',
  });
  for (const flag of ["-f", "--file"]) {
    await counter.run(`offerings update default ${flag} - --display-name Flag`);
    deepEqual(counter.arrived, [{
      line: "POST /offerings/default",
      body: { display_name: "Flag", metadata: { a: [1, { b: null }] } },
    }]);
  }
  const { out } = await counter.run("offerings update default --file=-");
  match(out, /^display_name +From the file\n[^]*^metadata\.a +1, \{"b":null\}$/m);
});

Deno.test("doctor passes without problems, and fails with one", async () => {
  await using counter = await openCounter();
  const well = await counter.run("doctor");
  equal(well.code, 0);
  match(well.out, /^ok +service/m);
  const ill = await counter.run("doctor --output json --project-id nope");
  ok(ill.code !== 0);
  equal(at(ill.json(), "ok"), false);
  ok(counter.arrived.every(({ line }) => line.startsWith("GET ")));
});
