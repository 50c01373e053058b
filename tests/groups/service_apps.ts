/**
 * The tests of apps, sign-in and the simulator, in one program.
 *
 * @module
 */

import { importTests } from "../support/import_tests.ts";

await importTests(
  "service/oauth",
  "service/sdk",
  "service/sim",
  "service/sim/history",
  "service/sim/people",
);
