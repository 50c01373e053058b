import { deepEqual, equal, match, ok } from "node:assert/strict";
import { path } from "../../../../lib/path.ts";
import { cancelPopulation, startPopulation } from "../../../../lib/simulator/population.ts";
import { type Desk, type DeskOptions, openDesk } from "../../../support/harness.ts";
import { type Home, openHome } from "../../../support/home_fixture.ts";
import { simulatorOf } from "../../../support/population_fixture.ts";
import { openReceiver } from "../../../support/receiver.ts";

const NOW = Date.UTC(2026, 10, 28, 12);

/** A desk whose command line has the administrator's secret. */
function deskAt(options: DeskOptions = {}): Promise<Desk> {
  return openDesk({ clock: () => NOW, isAdmin: true, ...options });
}

Deno.test("service populate asks, adds customers quietly, and refuses a seed a second time", async () => {
  await using desk = await deskAt();
  const words = ["service", "populate", "--customers", "200", "--seed", "42"];
  const asked = await desk.run(...words);
  deepEqual([asked.code, asked.out], [3, ""]);
  match(asked.err, /The project proj\w+ has 3 customers\. Add 200 customers\?/);
  const done = await desk.run(...words, "--yes");
  equal(done.code, 0, done.err);
  match(
    done.out,
    /^customers +200\nsubscriptions +\d+\npurchases +\d+\nsteps +\d+\nfrom +2025-11-28/,
  );
  match(
    done.err,
    /^Added 200 customers to the project proj\w+\nSee what they earn: cli charts get revenue\n$/,
  );
  const again = await desk.run(...words, "--yes");
  deepEqual([again.code, again.out], [7, ""]);
  match(
    again.err,
    /There already is a population with the seed "42"\nUse another --seed to add more customers\.\n$/,
  );
  const list = await desk.run("subscribers", "list", "--all", "--output", "ndjson");
  equal(list.out.trimEnd().split("\n").length, 203);
  const chart = await desk.run("charts", "get", "revenue", "--output", "json");
  match(chart.out, /"value": [1-9]/);
});

Deno.test("service populate names webhooks, which get the events of their types", async () => {
  await using desk = await deskAt({ webhookTargets: "loopback" });
  using receiver = openReceiver();
  const types = { event_types: ["refund_reversed"] };
  await desk.client.post(path`/integrations/webhooks`, {
    name: "one",
    url: receiver.url,
    ...types,
  });
  const { code, err } = await desk.run("service", "populate");
  equal(code, 3);
  match(err, /has 3 customers and 1 webhook that gets events\. Add 1000 customers\?/);
});

Deno.test("service populate shows a bar with the time left on a terminal", async () => {
  await using desk = await deskAt({ errColumns: 100 });
  const { code, err } = await desk.run("service", "populate", "--customers", "1500", "-y");
  equal(code, 0, err);
  match(err, /\[#*-+\] \d+ of 1500 customers/);
  match(err, /, about \d+ s left/);
  match(err, /\rAdded 1500 customers to the project proj\w+\n/);
});

Deno.test("service populate sells the products of a kind of app, and prints JSON", async () => {
  await using desk = await deskAt();
  const words = ["--customers", "100", "--months", "3", "--kind", "news", "-y"];
  const { code, err, json } = await desk.run("service", "populate", ...words, "--output", "json");
  deepEqual([code, err], [0, ""]);
  const made = json() as Record<string, number>;
  deepEqual([made.customers, made.running, made.to], [100, false, NOW]);
  const products = await desk.run("products", "list", "--all");
  match(products.out, /daily\.monthly/);
});

Deno.test("service populate names its limits", async () => {
  await using desk = await deskAt();
  const tell = async (...flags: string[]) => {
    const { code, out, err } = await desk.run("service", "populate", "-y", ...flags);
    deepEqual([code > 0, out], [true, ""]);
    return err;
  };
  match(await tell("--customers", "100001"), /customers.*100000/);
  match(await tell("--months", "61"), /months.*60/);
  match(await tell("--customers", "0"), /--customers/);
  match(await tell("--seed", "-1"), /--seed/);
  equal((await desk.run("service", "populate", "-y", "--kind", "shop")).code, 2);
  equal((await desk.client.get<{ items: unknown[] }>(path`/customers`)).items.length, 3);
});

Deno.test("Ctrl-C stops a population, and says how many customers stay", async () => {
  await using at = await openHome();
  at.env.CLI_SERVICE_ADMIN_SECRET = at.service.adminSecret;
  at.env.CLI_PROJECT_ID = at.service.projectId ?? "";
  const controller = new AbortController();
  const paths: string[] = [];
  const { code, out, err } = await at.run("service populate --customers 5000 --yes", {
    signal: controller.signal,
    intercept: async (request) => {
      paths.push(`${request.method} ${new URL(request.url).pathname.replace(/.*\/pop/, "pop")}`);
      const response = await at.service.fetch(request);
      if (paths.at(-1) === "GET population" && paths.length > 3) controller.abort();
      return response;
    },
  });
  deepEqual([code, out, paths.at(-1)], [130, "", "POST population/cancel"]);
  // On a busy machine the end of the population is waited for.
  match(
    err,
    /^(Waiting for \S+\n)?Stopped\nThe population was stopped after \d+ customers, which stay\. The same command adds the others\.\n$/,
  );
  const clock = (await at.run("clock show --output json")).json();
  equal(clock["frozen"], false);
  ok(Math.abs(Number(clock["offset_ms"])) < 5000, String(clock["offset_ms"]));
});

/** Loads the command's code: the next run must not take longer than a population that is being made. */
async function loadCommand(at: Home): Promise<void> {
  const { code, err } = await at.run("service populate --customers 100001 --yes");
  ok(code > 0, err);
}

Deno.test("service populate adds the others after it was stopped, and names the command for that", async () => {
  await using at = await openHome();
  at.env.CLI_SERVICE_ADMIN_SECRET = at.service.adminSecret;
  at.env.CLI_PROJECT_ID = at.service.projectId ?? "";
  await loadCommand(at);
  const words = "service populate --customers 5000 --seed 4";
  const simulator = simulatorOf(at.service);
  const wanted = { customers: 5000, months: 12, seed: 4, confirmed: true };
  await startPopulation(simulator, wanted);
  const other = await at.run("service populate --seed 5 --yes");
  equal(other.code, 7, other.err);
  match(
    other.err,
    /Another population is being made .*\nWait for it, or stop it with Ctrl-C: cli service populate --customers 5000 --months 12 --seed 4\n$/,
  );
  const { customers } = await cancelPopulation(simulator);
  const less = await at.run("service populate --seed 4 --yes");
  equal(less.code, 7, less.err);
  match(
    less.err,
    /has \d+ of 5000 customers.*\nContinue it: cli service populate --cust.* --seed 4\n$/,
  );
  const asked = await at.run(words);
  match(asked.err, new RegExp(`Add ${5000 - customers} customers\\?`));
  const done = await at.run(`${words} --yes`);
  equal(done.code, 0, done.err);
  match(done.out, /^customers +5000\n/);
  match(done.err, new RegExp(`^Added ${5000 - customers} customers to the project`, "m"));
});

Deno.test("service populate waits for its population if that is being made already", async () => {
  await using at = await openHome();
  at.env.CLI_SERVICE_ADMIN_SECRET = at.service.adminSecret;
  at.env.CLI_PROJECT_ID = at.service.projectId ?? "";
  await loadCommand(at);
  const wanted = { customers: 3000, months: 12, seed: 1, confirmed: true };
  await startPopulation(simulatorOf(at.service), wanted);
  const { code, out, err } = await at.run("service populate --customers 3000");
  equal(code, 0, err);
  match(out, /^customers +3000\n/);
  match(err, /^This population is being made already\nAdded 3000 customers/);
});
