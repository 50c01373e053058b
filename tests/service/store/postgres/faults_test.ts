import { deepEqual, equal } from "node:assert/strict";
import { openSharedFaults } from "../../../../lib/service/events/shared_faults.ts";
import { openFaultList } from "../../../../lib/service/sim/open_faults.ts";
import { ONLY_POSTGRES } from "../../../support/engine.ts";
import { openReceiver } from "../../../support/receiver.ts";
import { openTogether, type Together, until } from "../../../support/together.ts";

/** The statuses of reads, sent to each service in turn. */
async function statuses(all: Together, count: number): Promise<number[]> {
  const found: number[] = [];
  for (let i = 0; i < count; i++) {
    const answer = await all.send(i % all.services.length, "GET", "/v2/projects");
    await answer.body?.cancel();
    found.push(answer.status);
  }
  return found;
}

Deno.test(
  "a fault of requests that one process was given happens in all, so often in total",
  ONLY_POSTGRES,
  async () => {
    await using all = await openTogether(3);
    const fault = { method: "GET", path: "/v2/**", status: 503, count: 4 };
    equal((await all.send(0, "POST", "/_sim/faults", fault)).status, 201);
    // The answer comes when all processes have the fault.
    deepEqual(await statuses(all, 7), [503, 503, 503, 503, 200, 200, 200]);
    deepEqual((await (await all.send(1, "GET", "/_sim/faults")).json()).items, []);

    await all.send(1, "POST", "/_sim/faults", { ...fault, count: 20 });
    const answers = await Promise.all(Array.from({ length: 24 }, async (_, i) => {
      const answer = await all.send(i % 3, "GET", "/v2/projects");
      await answer.body?.cancel();
      return answer.status;
    }));
    equal(answers.filter((status) => status === 503).length, 20);

    await all.send(2, "POST", "/_sim/faults", { ...fault, count: 9 });
    await all.open();
    deepEqual(await statuses(all, 4), [503, 503, 503, 503], "a new process has it as well");
    const [left] = (await (await all.send(3, "GET", "/_sim/faults")).json()).items;
    deepEqual(left, { object: "fault", method: "GET", path: "/v2/**", count: 5, status: 503 });
    await all.send(0, "DELETE", "/_sim/faults");
    deepEqual(await statuses(all, 4), [200, 200, 200, 200]);
  },
);

Deno.test(
  "a fault of deliveries that one process was given happens in the one that delivers",
  ONLY_POSTGRES,
  async () => {
    using receiver = openReceiver();
    await using all = await openTogether(1, { webhookTargets: "loopback" });
    await all.open({ role: "api" });
    const sim = `/_sim/projects/${all.projectId}`;
    const webhooks = `/v2/projects/${all.projectId}/integrations/webhooks`;
    const webhook = { name: "Ours", url: receiver.url, event_types: ["renewal"] };
    const { id } = await (await all.send(0, "POST", webhooks, webhook)).json();
    equal((await all.send(0, "POST", `${webhooks}/${id}`, { event_types: null })).status, 200);
    const add = async (fault: string, count: number) => {
      const added = await all.send(1, "POST", `${sim}/webhooks/${id}/faults`, { fault, count });
      return (await added.json()).faults;
    };
    deepEqual(await add("drop", 2), ["drop", "drop"]);
    deepEqual(await add("duplicate", 1), ["drop", "drop", "duplicate"]);
    for (let i = 0; i < 4; i++) {
      equal((await all.send(0, "POST", `${sim}/trigger`, { type: "TEST" })).status, 201);
    }
    // Two are lost, one arrives twice.
    await until(() => receiver.arrived.length >= 3, "three arrivals");
    deepEqual((await (await all.send(1, "GET", `${sim}/faults`)).json()).items, []);
    await all.services[0]?.deliverer.idle();
    equal(receiver.arrived.length, 3);

    await add("reorder", 3);
    const cleared = await all.send(0, "POST", `${sim}/faults/clear`);
    deepEqual((await cleared.json()).items, []);
    await all.send(0, "POST", `${sim}/webhooks/${id}/ping`);
    equal(receiver.arrived.length, 4);
  },
);

Deno.test("no fault costs no query, whoever may have set one", ONLY_POSTGRES, async () => {
  await using all = await openTogether(1);
  const [{ store } = unreachable()] = all.services;
  const requests = await openFaultList(store);
  const deliveries = await openSharedFaults(store, store.others ?? unreachable());
  // A promise would be that of a query.
  equal(requests.take(() => true), undefined);
  equal(deliveries.next({ project_id: all.projectId, integration_id: "none" }), undefined);
  await requests.add({ path: "/v2/projects", status: 500, count: 1 });
  equal(requests.take(({ path }) => path === "/v2/other"), undefined);
  deepEqual(await requests.take(() => true), { path: "/v2/projects", status: 500, count: 1 });
});

function unreachable(): never {
  throw new Error("there is a service, on a database that is shared");
}
