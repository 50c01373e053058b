/**
 * The tests of the commands, in one program.
 *
 * @module
 */

import { importTests } from "../support/import_tests.ts";

await importTests("cli/commands");
