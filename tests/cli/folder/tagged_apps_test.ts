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

Deno.test("offerings preview takes the app that the folder is about", async () => {
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
