/**
 * The admin secret of processes on one database. Runs with `TEST_ENGINE=postgres`, and is skipped by
 * name otherwise.
 */

import { deepEqual, equal, rejects } from "node:assert/strict";
import { acrossProjects, type Store } from "../../../../lib/service/store/mod.ts";
import { ONLY_POSTGRES } from "../../../support/engine.ts";
import { openTogether } from "../../../support/together.ts";

const OLD = "adm_together";
const NEW = "adm_the_next_one";
const REFUSED = {
  name: "ConfigError",
  message: "Cannot start the service: a process on the same database has another admin secret",
};

/** Whether a service opens the simulator to a secret. */
async function opens(
  service: { fetch(request: Request): Promise<Response> } | undefined,
  secret: string,
): Promise<boolean> {
  const headers = { Authorization: `Bearer ${secret}` };
  const url = "http://127.0.0.1:4010/_sim/openapi.json";
  const response = await service?.fetch(new Request(url, { headers }));
  await response?.body?.cancel();
  return response?.ok === true;
}

/** What the database has of the secrets, as one text. */
async function kept(store: Store | undefined): Promise<string> {
  const rows = await store?.read((tx) =>
    acrossProjects(tx).selectFrom("secret_checks").selectAll().execute()
  );
  return JSON.stringify(rows);
}

Deno.test(
  "a process with another admin secret than one that runs does not start",
  ONLY_POSTGRES,
  async () => {
    await using all = await openTogether(1, { role: "api", empty: true });
    await rejects(all.open({ adminSecret: NEW }), REFUSED);
    await rejects(all.open({ adminSecret: NEW, formerAdminSecret: "adm_neither" }), REFUSED);
    await all.open();
    const text = await kept(all.services[0]?.store);
    equal(JSON.parse(text).length, 2);
    equal(text.includes(OLD) || text.includes(NEW), false);
    // When nobody runs any more, any secret may begin.
    await Promise.all(all.services.splice(0).map((service) => service.close()));
    await all.open({ adminSecret: NEW });
    await rejects(all.open(), REFUSED);
  },
);

Deno.test("an admin secret changes while processes run", ONLY_POSTGRES, async () => {
  await using all = await openTogether(2, { role: "api", empty: true });
  const { services } = all;
  const both = { adminSecret: NEW, formerAdminSecret: OLD };
  for (const options of [both, both]) {
    await services.shift()?.close();
    await all.open(options);
  }
  deepEqual(
    await Promise.all(services.flatMap((one) => [opens(one, NEW), opens(one, OLD)])),
    [true, true, true, true],
  );
  for (let i = 0; i < 2; i++) {
    await services.shift()?.close();
    await all.open({ adminSecret: NEW });
  }
  deepEqual(
    await Promise.all(services.flatMap((one) => [opens(one, NEW), opens(one, OLD)])),
    [true, false, true, false],
  );
});

Deno.test(
  "of processes that start at once with different secrets, those of one secret start",
  ONLY_POSTGRES,
  async () => {
    await using all = await openTogether(1, { role: "api", empty: true });
    await Promise.all(all.services.splice(0).map((service) => service.close()));
    const tried = await Promise.allSettled(
      [OLD, NEW, OLD, NEW].map((adminSecret) => all.open({ adminSecret })),
    );
    const started = tried.map(({ status }) => status === "fulfilled");
    deepEqual(started.filter((one) => one).length, 2);
    deepEqual(started.slice(0, 2), started.slice(2));
  },
);
