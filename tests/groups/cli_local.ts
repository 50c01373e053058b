/**
 * The tests of listening and the local service's commands, in one program.
 *
 * @module
 */

import { importTests } from "../support/import_tests.ts";

await importTests(
  ...["cli/events", "cli/local", "cli/commands/clock", "cli/commands/service"],
  "cli/commands/simulate",
);
