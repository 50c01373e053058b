import { deepEqual } from "node:assert/strict";
import { listClients, registerClient } from "../../../lib/simulator/service.ts";
import { openService } from "../../support/engine.ts";
import { simulatorOf } from "../../support/population_fixture.ts";

Deno.test("a client's addresses are listed in alphabetical order, whatever the database's", async () => {
  await using service = await openService({ buyers: false });
  const { client } = simulatorOf(service);
  const redirect_uris = ["https://b.example/", "https://a.example/", "https://c.example/"];
  await registerClient(client, { id: "web", redirect_uris });
  const listed = (await listClients(client)).items.find(({ id }) => id === "web");
  deepEqual(listed?.redirect_uris, [...redirect_uris].sort());
});
