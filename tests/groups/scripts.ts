/**
 * The tests of scripts and tools, in one program.
 *
 * @module
 */

import { importTests } from "../support/import_tests.ts";

await importTests("scripts", "support");
