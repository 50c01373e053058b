import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { ApiError } from "../../../lib/errors.ts";
import {
  createOffering,
  deleteOffering,
  getOffering,
  listOfferings,
  updateOffering,
} from "../../../lib/resources/offerings.ts";
import { openDesk } from "../../support/harness.ts";
import { acrossProjects } from "../../../lib/service/store/mod.ts";

Deno.test("offerings list shows all offerings and marks the current one", async () => {
  await using desk = await openDesk();
  const { code, out, err } = await desk.run("offerings", "list");
  equal(err, "");
  equal(code, 0);
  match(out, /^CURRENT {2}LOOKUP_KEY {3}DISPLAY_NAME/);
  match(out, /^\* +default +Standard prices +active/m);
  match(out, /^ +winter_sale +Winter sale +active/m);
});

Deno.test("offerings set-current moves the mark", async () => {
  await using desk = await openDesk();
  const { code, json } = await desk.run(
    "--output",
    "json",
    "offerings",
    "set-current",
    "winter_sale",
  );
  equal(code, 0);
  equal((json() as { is_current: boolean }).is_current, true);
  const { items } = await listOfferings(desk.client);
  deepEqual(items.filter((item) => item.is_current).map((item) => item.lookup_key), [
    "winter_sale",
  ]);
  const rows = await desk.service.store.read((tx) =>
    acrossProjects(tx).selectFrom("projects").select("current_offering_id").execute()
  );
  equal(rows[0]?.current_offering_id, items[1]?.id);
});

Deno.test("offerings are found by id before lookup key", async () => {
  await using desk = await openDesk();
  const first = await getOffering(desk.client, "default");
  await createOffering(desk.client, { lookup_key: first.id, display_name: "A trap" });
  equal((await getOffering(desk.client, first.id)).lookup_key, "default");
});

Deno.test("the first offering of a project becomes current, the next ones do not", async () => {
  await using desk = await openDesk();
  const response = await desk.send("POST", "/v2/projects", { name: "Second" });
  const { id } = await response.json();
  const client = desk.client.with({ projectId: id });
  equal((await createOffering(client, { lookup_key: "a", display_name: "A" })).is_current, true);
  equal((await createOffering(client, { lookup_key: "b", display_name: "B" })).is_current, false);
  await rejects(deleteOffering(client, "a"), isStatus(422));
  await deleteOffering(client, "b");
  await deleteOffering(client, "a");
  equal((await createOffering(client, { lookup_key: "c", display_name: "C" })).is_current, true);
});

Deno.test("an archived offering cannot become current, the current one cannot be archived", async () => {
  await using desk = await openDesk();
  const archived = await desk.run("offerings", "archive", "winter_sale");
  equal(archived.code, 0);
  match(archived.out, /state +inactive/);
  const refused = await desk.run("offerings", "set-current", "winter_sale");
  equal(refused.code, 7);
  match(refused.err, /^Cannot make an offering current: An archived offering/);
  equal((await desk.run("offerings", "archive", "default")).code, 7);
  await rejects(updateOffering(desk.client, "default", { is_current: false }), isStatus(422));
});

function isStatus(status: number): (error: unknown) => boolean {
  return (error) => error instanceof ApiError && error.status === status;
}
