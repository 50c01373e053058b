import { deepEqual, rejects } from "node:assert/strict";
import {
  beginProject,
  createAccount,
  deleteAccount,
  listAccounts,
} from "../../../lib/simulator/service.ts";
import { openService } from "../../support/engine.ts";
import { simulatorOf } from "../../support/population_fixture.ts";

Deno.test("only the account that has set a password is shown with one", async () => {
  await using service = await openService({ buyers: false });
  const { client } = simulatorOf(service);
  const ids = new Map<string, string>();
  for (const name of ["dana", "eve"]) {
    ids.set(name, (await createAccount(client, { email: `${name}@example.com`, name })).id);
  }
  const account_id = ids.get("dana") ?? "";
  const password = { account_id, hash: "scrypt", changed_at: 1 };
  await service.store.write((tx) => tx.insertInto("passwords").values(password).execute());
  const shown = (await listAccounts(client)).items.filter(({ name }) => ids.has(name ?? ""));
  deepEqual(shown.map((one) => [one.name, one.has_password]), [["dana", true], ["eve", false]]);
});

Deno.test("of several projects without another owner, the refusal names the first by its id", async () => {
  await using service = await openService({ buyers: false });
  const { client } = simulatorOf(service);
  const ids = [service.projectId ?? ""];
  for (const name of ["A", "B", "C"]) ids.push((await beginProject(client, { name, now: 1 })).id);
  const [owner] = (await listAccounts(client)).items;
  const first = ids.toSorted()[0];
  await rejects(deleteAccount(client, owner?.email ?? ""), {
    message: `The account is the only owner of the project ${first}`,
  });
});
