/**
 * The tests of the library, in one program.
 *
 * @module
 */

import { importTests } from "../support/import_tests.ts";

await importTests("", "auth", "config", "platform");
