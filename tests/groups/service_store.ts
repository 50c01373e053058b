/**
 * The tests of the database, in one program.
 *
 * @module
 */

import { importTests } from "../support/import_tests.ts";

await importTests("service/store", "service/check");
