/**
 * The tests of the API, in one program.
 *
 * @module
 */

import { importTests } from "../support/import_tests.ts";

await importTests("service/routes", "service/contract");
