/**
 * The tests of the command line as a whole, and of what users see, in one program.
 *
 * @module
 */

import { importTests } from "../support/import_tests.ts";

await importTests("cli", "cli/golden", "cli/completion", "cli/words");
