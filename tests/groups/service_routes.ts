/**
 * The tests of the API and of the database, in one program.
 *
 * @module
 */

import { importTests } from "../support/import_tests.ts";

await importTests("service/routes", "service/contract", "service/store", "service/check");
