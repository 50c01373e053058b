import { deepEqual, equal } from "node:assert/strict";
import {
  beginPast,
  endPast,
  leavePast,
  playerOf,
  watchPast,
} from "../../../lib/service/ledger/past.ts";
import { inProject } from "../../../lib/service/store/mod.ts";
import type { Others } from "../../../lib/service/store/store.ts";
import { openService } from "../../support/engine.ts";

/** What a process knows of others, of which some are alive. */
function othersOf(holder: string, alive: ReadonlySet<string>): Others {
  return {
    tell() {},
    agree: async () => {},
    hear: () => () => {},
    exchange: async () => [],
    leads: async () => true,
    skew: () => 0,
    holder,
    alive: async () => alive,
  };
}

Deno.test("only the process that plays a project's past lets its time pass, as long as it lives", async () => {
  await using service = await openService();
  const alive = new Set(["player"]);
  let now = 0;
  const watches = ["player", "other"].map((name) => watchPast(othersOf(name, alive), () => now));
  const alone = watchPast(undefined, () => now);
  await service.store.write(async (whole) => {
    const tx = inProject(whole, service.projectId ?? "");
    const elsewhere = () => Promise.all([...watches, alone].map((watch) => watch(tx)));
    deepEqual(await elsewhere(), [false, false, false]);
    await beginPast(tx, "player");
    equal(await playerOf(tx), "player");
    deepEqual(await elsewhere(), [false, true, false]);
    alive.clear();
    deepEqual(await elsewhere(), [false, true, false], "it may only have lost its connection");
    for (let seconds = 0; seconds < 6; seconds += 3) {
      now += 3000;
      await elsewhere();
    }
    deepEqual(await elsewhere(), [false, false, false]);
    alive.add("player");
    deepEqual(await elsewhere(), [false, true, false]);
    await leavePast(tx);
    equal(await playerOf(tx), "");
    deepEqual(await elsewhere(), [false, false, false]);
    await endPast(tx);
    equal(await playerOf(tx), undefined);
  });
});
