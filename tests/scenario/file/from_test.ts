import { deepEqual, equal, match, ok } from "node:assert/strict";
import { join } from "node:path";
import type { Service } from "../../../lib/service/mod.ts";
import { openService } from "../../support/engine.ts";
import { acrossProjects } from "../../../lib/service/store/mod.ts";
import { freezeClock } from "../../../lib/simulator/clock.ts";
import { openDesk, type Ran } from "../../support/harness.ts";
import { makePopulation, simulatorOf } from "../../support/population_fixture.ts";
import { inFolder } from "../../support/store_fixture.ts";

const NOW = Date.UTC(2026, 10, 28, 12);

const STORY = `start:
  from: stories/shop.backup
steps:
  - purchase: { customer: zoe, product: notes.pro.monthly }
    as: s
    expect:
      events: [INITIAL_PURCHASE]
  - advance: P1M
  - cancel: s
    expect:
      access: { zoe: [pro], hedy: [pro] }
  - advance: P1M
    expect:
      events_include: [{ type: EXPIRATION, app_user_id: zoe }]
      access: { zoe: [] }
`;

/** Runs a test with a folder that has a story, and a backup of a service with customers. */
async function withShop(
  test: (folder: string, run: (...words: string[]) => Promise<Ran>) => Promise<void>,
  prepare: (service: Service) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  await inFolder(async (folder) => {
    await using desk = await openDesk();
    const data = join(folder, "data");
    await Deno.mkdir(data, { mode: 0o700 });
    const service = await openService({ database: join(data, "service.db"), clock: () => NOW });
    await makePopulation(service, { customers: 30 });
    await prepare(service);
    await service.close();
    await Deno.mkdir(join(folder, "all", "stories"), { recursive: true });
    const backup = join(folder, "all", "stories", "shop.backup");
    const saved = await desk.run("service", "backup", backup, "--data", data);
    equal(saved.code, 0, saved.err);
    await Deno.writeTextFile(join(folder, "all", "story.yaml"), STORY);
    await test(join(folder, "all"), desk.run);
  });
}

Deno.test("a scenario begins with a backup, and the same file gives the same bytes", () =>
  withShop(async (folder, run) => {
    const backup = join(folder, "stories", "shop.backup");
    const before = await Deno.readFile(backup);
    const words = ["scenario", "run", join(folder, "story.yaml"), "--output", "json"];
    const first = await run(...words);
    equal(first.code, 0, first.out);
    equal((await run(...words)).out, first.out);
    deepEqual(await Deno.readFile(backup), before);
    const { scenarios: [story] } = first.json() as { scenarios: { events: number }[] };
    ok(story && story.events > 3 && story.events < 100, "the events before do not count");
  }, async (service) => {
    await freezeClock(simulatorOf(service));
  }));

Deno.test("a scenario on a copy delivers nothing to the webhooks of its origin", async () => {
  const asked: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, ({ url }) => {
    asked.push(new URL(url).pathname);
    return new Response();
  });
  const address = `http://127.0.0.1:${server.addr.port}`;
  await withShop(async (folder, run) => {
    const text = STORY.replace("steps:", `  webhook: { url: "${address}/own" }\nsteps:`);
    await Deno.writeTextFile(join(folder, "story.yaml"), text);
    const { code, out } = await run("scenario", "run", join(folder, "story.yaml"));
    equal(code, 0, out);
  }, async (service) => {
    await service.store.write(async (tx) => {
      await acrossProjects(tx).insertInto("webhook_integrations").values({
        project_id: service.projectId ?? "",
        id: "whintgr0000000001",
        seq: 100_000,
        name: "of the origin",
        url: `${address}/origin`,
        signing_secret: "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        created_at: 1,
      } as never).execute();
    });
  });
  await server.shutdown();
  deepEqual([...new Set(asked)], ["/own"]);
});

Deno.test("what a scenario cannot begin with is named with its line", () =>
  withShop(async (folder, run) => {
    const tell = async (from: string, more = ""): Promise<string> => {
      const text = STORY.replace("from: stories/shop.backup", `from: ${from}${more}`);
      await Deno.writeTextFile(join(folder, "story.yaml"), text);
      const { code, out, err } = await run("scenario", "run", join(folder, "story.yaml"));
      equal(code, 2, out + err);
      return out + err;
    };
    match(await tell("stories/none.backup"), /2:9.*cannot read ".*none\.backup": no such file/);
    match(await tell("../data/service.db"), /it is outside of the folder/);
    match(await tell("../nosuch"), /it is outside of the folder/);
    match(await tell(join(folder, "stories", "shop.backup")), /path below the scenario's folder/);
    match(await tell("story.yaml"), /it is not a backup of the service/);
    match(await tell("stories/shop.backup", "\n  at: 2026-01-01"), /"at" and "from" exclude/);
    match(await tell("stories/shop.backup", "\n  catalogue: c.yaml"), /"catalogue" and "from"/);
    match(await tell("{ a: 1 }"), /2:9/);
    match(await tell("before-migration"), /no home folder|there is no such snapshot/);
    if (Deno.build.os === "windows") return;
    await Deno.symlink(join(folder, "..", "data", "service.db"), join(folder, "link.backup"));
    match(await tell("link.backup"), /it is outside of the folder/);
    await Deno.truncate(join(folder, "stories", "shop.backup"), 5000);
    match(await tell("stories/shop.backup"), /truncated/);
  }));
