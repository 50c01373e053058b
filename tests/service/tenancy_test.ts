/**
 * Two projects with equal keys: requests to one never affect the other.
 *
 * `TENANCY_REQUESTS` is the number of generated requests of each test, 300 without it.
 */

import { equal, ok } from "node:assert/strict";
import { sendGenerated, type Site } from "../support/generated_requests.ts";
import { openRequestDesk } from "../support/request_desk.ts";
import {
  deleteAll,
  doMuch,
  makeSpare,
  readAll,
  readsOf,
  searchesOf,
  send,
} from "../support/tenancy_deeds.ts";
import {
  checkUntouched,
  copyProject,
  MARK,
  moveBehind,
  removeProject,
  restoreProject,
  rowsOfProject,
  TWINS,
} from "../support/twin_project.ts";

const REQUESTS = Number(Deno.env.get("TENANCY_REQUESTS") ?? 300);

for (const [place, twin] of Object.entries(TWINS)) {
  Deno.test(`a project is neither changed nor shown by requests to another with the same keys (${place})`, async () => {
    await using opened = await openRequestDesk();
    const { desk: { service: { store }, projectId } } = opened;
    await makeSpare(opened.site, projectId);
    const now = await freeze(opened.site, projectId);
    await copyProject(store, projectId, { id: twin, now });
    if (place === "before") await moveBehind(store, projectId);
    const before = await rowsOfProject(store, twin);
    ok(Object.values(before).some((rows) => rows.includes(MARK)));
    const site = withoutMark(opened.site);

    const searches = await searchesOf(site, projectId);
    await doMuch(site, projectId);
    await checkUntouched(store, twin, before);
    const round = place === "before" ? 1 : 2;
    await sendGenerated(site, { requests: REQUESTS, atATime: 1, tally: new Map(), round });
    await checkUntouched(store, twin, before);

    await freeze(site, projectId);
    const reads = [...readsOf(site, projectId), ...searches];
    const beside = await readAll(site, reads);
    await removeProject(store, twin);
    const alone = await readAll(site, reads);
    await restoreProject(store, before);
    for (const [path, answer] of alone) equal(beside.get(path), answer, path);

    await deleteAll(site, projectId);
    await checkUntouched(store, twin, before);

    await opened.desk.service.deliverer.idle();
    ok(opened.received.length > 0);
    for (const delivery of opened.received) ok(!delivery.includes(MARK), delivery);
  });
}

/** Stops the clock of a project. Returns its time. */
async function freeze(site: Site, projectId: string): Promise<number> {
  const path = `/_sim/projects/${projectId}/clock/freeze`;
  const [status, text] = await send(site, { method: "POST", path, body: {} });
  equal(status, 200, text);
  return JSON.parse(text).now;
}

/** The same environment, which refuses answers with a text of the other project. */
function withoutMark(site: Site): Site {
  return {
    ...site,
    async fetch(request) {
      const response = await site.fetch(request);
      const text = await response.clone().text();
      ok(!text.includes(MARK), `${request.method} ${request.url} shows the other project: ${text}`);
      return response;
    },
  };
}
