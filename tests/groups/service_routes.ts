/**
 * The tests of the API and of the database, in one program.
 *
 * @module
 */

import { importTests } from "../support/import_tests.ts";

await importTests(
  ...["service/routes", "service/contract", "service/check", "service/store"],
  ...["service/store/move", "service/store/postgres", "service/store/sqlite"],
);
