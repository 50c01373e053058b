/**
 * Tests by requests at random. They are registered in two files, so that two processes run them.
 *
 * @module
 */

import { deepEqual, equal } from "node:assert/strict";
import { countOf, sendGenerated, type Tally } from "./generated_requests.ts";
import { openRequestDesk } from "./request_desk.ts";
import { targets } from "./request_targets.ts";

/** What everybody may read, and cannot ask for wrongly. */
const OPEN = [
  "GET /.well-known/oauth-authorization-server",
  "GET /health",
  "GET /openapi.json",
];

const names = [...new Set(targets.map(({ name }) => name))];

/** What has not happened yet: routes that nothing came through to, and that refused nothing. */
function missing(tally: Tally): { name: string; what: string }[] {
  const without = (hundred: number) =>
    names.filter((name) => countOf(tally, name, hundred) === 0)
      .map((name) => ({ name, what: `${hundred}xx of ${name}` }));
  return [...without(2), ...without(4).filter(({ name }) => !OPEN.includes(name))];
}

/** How often 2,500 requests are sent. */
const ROUNDS = Deno.env.has("LONG_TESTS") ? 20 : 1;

/** Registers the tests: 2,500 requests or 50,000, some of them at a time. */
export function testRequests(atATime: number): void {
  const tally: Tally = new Map();
  for (let round = 1; round <= ROUNDS; round++) {
    Deno.test(`2500 requests at random, ${atATime} at a time: never the service's fault, always as documented (${round})`, async () => {
      await using desk = await openRequestDesk();
      await sendGenerated(desk.site, { requests: 2500, atATime, tally, round });
    });
  }

  Deno.test(`requests at random, ${atATime} at a time, come through to every route, and are refused by each`, async () => {
    // Some things seldom happen. If one never does, it is not for want of trying.
    for (let round = ROUNDS + 1; round < ROUNDS + 40 && missing(tally).length > 0; round++) {
      const wanted = new Set(missing(tally).map(({ name }) => name));
      await using desk = await openRequestDesk();
      await sendGenerated(desk.site, { requests: 400, atATime, tally, round, wanted });
    }
    deepEqual(missing(tally).map(({ what }) => what), []);
    for (const name of OPEN) equal(countOf(tally, name, 4), 0, name);
  });
}
