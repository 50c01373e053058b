/**
 * The tests of the terminal's output and the command line's input, in one program.
 *
 * @module
 */

import { importTests } from "../support/import_tests.ts";

await importTests("cli/screen", "cli/charts", "cli/data", "cli/input", "cli/folder");
