/**
 * Tests by requests at random. They are registered in two files, so that two processes run them.
 *
 * @module
 */

import { deepEqual } from "node:assert/strict";
import { countOf, sendGenerated, type Tally } from "./generated_requests.ts";
import { openRequestDesk } from "./request_desk.ts";
import { targets } from "./request_targets.ts";

/** What everybody may read, and cannot ask for wrongly. */
const OPEN = ["/.well-known/oauth-authorization-server", "/health", "/openapi.json"];

const names = [...new Set(targets.map(({ name }) => name))];

/** The routes that have not been answered with a status of this class. */
function without(tally: Tally, hundred: number): string[] {
  return names.filter((name) => countOf(tally, name, hundred) === 0);
}

/** Registers the tests: 10,000 requests, some of them at a time. */
export function testRequests(atATime: number): void {
  const tally: Tally = new Map();
  for (let round = 1; round <= 4; round++) {
    Deno.test(`2500 requests at random, ${atATime} at a time: never the service's fault, always as documented (${round})`, async () => {
      await using desk = await openRequestDesk();
      await sendGenerated(desk.site, { requests: 2500, atATime, tally });
    });
  }

  Deno.test(`requests at random, ${atATime} at a time, come through to every route, and are refused by each`, async () => {
    // Some things seldom work out. If one never does, it is not for want of trying.
    for (let more = 0; more < 4 && without(tally, 2).length > 0; more++) {
      await using desk = await openRequestDesk();
      await sendGenerated(desk.site, { requests: 1250, atATime, tally });
    }
    deepEqual(without(tally, 2), []);
    deepEqual(without(tally, 4), OPEN.map((path) => `GET ${path}`));
  });
}
