/**
 * The tests of packages and scenarios, in one program.
 *
 * @module
 */

import { importTests } from "../support/import_tests.ts";

await importTests(
  ...["package", "scenario/deeds", "scenario/file", "scenario/record", "scenario/run"],
  ...["scenario/stories", "scenario/values", "scenario/verify"],
);
