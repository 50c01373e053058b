/**
 * The tests of the commands, the terminal's output and the command line's input, in one program.
 *
 * @module
 */

import { importTests } from "../support/import_tests.ts";

await importTests(
  ...["cli/commands", "cli/screen", "cli/charts", "cli/data", "cli/input", "cli/folder"],
  ...[
    "cli/commands/auth",
    "cli/commands/charts",
    "cli/commands/completion",
    "cli/commands/events",
    "cli/commands/offerings",
  ],
  ...["cli/commands/scenario", "cli/commands/subscribers", "cli/commands/webhooks", "cli/checks"],
);
