/**
 * The tests of the way of a request, in one program.
 *
 * @module
 */

import { importTests } from "../support/import_tests.ts";

await importTests("service", "service/http", "service/records", "service/time");
