/**
 * `cli simulate restore-behavior`.
 *
 * @module
 */

import { UsageError } from "../../../errors.ts";
import { changeSettings, type RestoreBehavior } from "../../../simulator/catalogue.ts";
import { dataFlag } from "../../local/local_service.ts";
import { openSimulator } from "../../local/simulator.ts";
import { argument, command } from "../../words/command.ts";
import { showOne } from "../../words/plain.ts";

const BEHAVIORS: readonly RestoreBehavior[] = ["transfer", "share", "keep"];

/** Set what becomes of purchases that a second customer restores. */
export const restoreBehavior = command({
  brief: "Set what becomes of purchases that a second customer restores",
  details: "transfer moves them to that customer, share makes one customer of both, and keep " +
    "refuses. Purchases of a customer who never signed in always join the one who restores them.",
  args: { behavior: argument("transfer, share or keep") },
  flags: dataFlag,
  async run(context, { behavior, data }) {
    const restore_behavior = BEHAVIORS.find((known) => known === behavior);
    if (!restore_behavior) {
      throw new UsageError(
        `Cannot set the restore behavior: ${JSON.stringify(behavior)} is unknown; it takes ` +
          "transfer, share or keep",
      );
    }
    const simulator = await openSimulator(context, data);
    showOne(context, await changeSettings(simulator, { restore_behavior }));
  },
});
