import { match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { resolveConnection } from "../../../lib/connect.ts";
import { listApps } from "../../../lib/resources/apps.ts";
import { type Home, openHome, signedIn } from "../../support/home_fixture.ts";

/** Binds the working folder to the app of a type, and gives the app's id. */
async function boundTo(at: Home, type: string): Promise<string> {
  await signedIn(at);
  const projectId = at.service.projectId ?? "";
  const { client } = await resolveConnection(at.around(), { projectId });
  const app = (await listApps(client, { limit: 100 })).items.find((one) => one.type === type);
  ok(app);
  const ran = await at.run(`init --project-id ${projectId} --app-id ${app.id}`);
  strictEqual(ran.code, 0, ran.err);
  at.sent.length = 0;
  return app.id;
}

Deno.test("offerings preview uses the folder's tagged app", async () => {
  await using at = await openHome();
  const id = await boundTo(at, "play_store");
  const { code, err } = await at.run("offerings preview");
  strictEqual(code, 0, err);
  ok(at.sent.some((line) => line.includes(`/apps/${id}/public_api_keys`)), at.sent.join("\n"));
  at.sent.length = 0;
  strictEqual((await at.run("offerings preview --platform ios")).code, 0);
  ok(!at.sent.some((line) => line.includes(`/apps/${id}/`)));
});

Deno.test("tagged apps of another project do not count", async () => {
  await using at = await openHome();
  const id = await boundTo(at, "play_store");
  await Deno.writeTextFile(
    join(at.cwd, "cli.toml"),
    `project_id = "proj_other"\n[[apps]]\nid = "${id}"\n`,
  );
  const { err } = await at.run("offerings preview");
  ok(!at.sent.some((line) => line.includes(`/apps/${id}/`)), err);
  match(at.sent.join("\n"), /public_api_keys/);
});

/** A file with a product's body, without an app unless `more` has one. */
function bodyFile(more: object = {}): { files: Record<string, string> } {
  const body = { store_identifier: "notes.new", type: "subscription", display_name: "New" };
  return { files: { "product.json": JSON.stringify({ ...body, ...more }) } };
}

const CREATE = "products create --file product.json";

Deno.test("products create uses the folder's tagged app, unless the body names one", async () => {
  await using at = await openHome();
  const id = await boundTo(at, "app_store");
  const created = await at.run(`${CREATE} --output json`, bodyFile());
  strictEqual(created.code, 0, created.err);
  strictEqual(created.json().app_id, id);
  const other = await at.run(CREATE, bodyFile({ app_id: "app_nope" }));
  strictEqual(other.code, 5, other.err);
});

Deno.test("products create without an app is refused for no or several tagged apps", async () => {
  await using at = await openHome();
  await boundTo(at, "app_store");
  const project = `project_id = "${at.service.projectId}"\n`;
  await Deno.writeTextFile(join(at.cwd, "cli.toml"), project);
  const none = await at.run(CREATE, bodyFile());
  strictEqual(none.code, 2);
  match(none.err, /"app_id" is missing in the body/);
  const two = ["a", "b"].map((id) => `[[apps]]\nid = "app_${id}"\n`).join("");
  await Deno.writeTextFile(join(at.cwd, "cli.toml"), project + two);
  const several = await at.run(CREATE, bodyFile());
  strictEqual(several.code, 2);
  match(
    several.err,
    /"app_id" is missing in the body, and cli\.toml tags 2 apps\n.*app_a, app_b$/m,
  );
  ok(!at.sent.some((line) => line.startsWith("POST /v2")), at.sent.join("\n"));
});

Deno.test("--filter app_id without a value means the folder's tagged apps", async () => {
  await using at = await openHome();
  const id = await boundTo(at, "app_store");
  let query = new URLSearchParams();
  const intercept = (request: Request) => {
    if (request.url.includes("/charts/")) query = new URL(request.url).searchParams;
    return Promise.resolve(undefined);
  };
  const shown = await at.run("charts get revenue --filter app_id --filter store=app_store", {
    intercept,
  });
  strictEqual(shown.code, 0, shown.err);
  strictEqual(query.get("app_id"), id);
  strictEqual(
    query.get("filters"),
    JSON.stringify([{ name: "app_id", values: [id] }, { name: "store", values: ["app_store"] }]),
  );
  await Deno.writeTextFile(
    join(at.cwd, "cli.toml"),
    `project_id = "${at.service.projectId}"\n`,
  );
  const none = await at.run("charts get revenue --filter app_id");
  strictEqual(none.code, 2);
  match(none.err, /^Cannot filter by "app_id": it has no value, and cli\.toml tags no app/);
});
