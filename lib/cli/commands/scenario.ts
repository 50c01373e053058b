/**
 * `cli scenario …`: the life of subscriptions as a test.
 *
 * @module
 */

import { type Group, group } from "../words/command.ts";
import { init } from "./scenario/init.ts";
import { record } from "./scenario/record.ts";
import { run } from "./scenario/run.ts";
import { schema } from "./scenario/schema.ts";

/** Stories of subscriptions as tests. */
export const scenario: Group = group("The life of subscriptions as a test", ["scenarios"], {
  run,
  init,
  record,
  schema,
});
