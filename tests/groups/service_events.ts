/**
 * The tests of events, in one program.
 *
 * @module
 */

import { importTests } from "../support/import_tests.ts";

await importTests("service/events", "service/outbound");
