import { deepEqual } from "node:assert/strict";
import { USD_PER_UNIT } from "../../../../lib/service/domain/currencies.ts";
import { COUNTRIES } from "../../../../lib/service/sim/people/kinds.ts";

Deno.test("the people of each country pay in a currency that prices have", () => {
  const unknown = COUNTRIES.filter(([[, currency]]) => !USD_PER_UNIT.has(currency));
  deepEqual(unknown, []);
});
