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

/** Sets the result when a second customer restores purchases. */
export const restoreBehavior = command({
  brief: "Set the result when a second customer restores purchases",
  details: "transfer moves them to that customer, share merges both customers, and keep " +
    "refuses. Purchases of an anonymous customer always move to the one who restores them.",
  args: { behavior: argument("transfer, share or keep") },
  flags: dataFlag,
  async run(context, { behavior, data }) {
    const restore_behavior = BEHAVIORS.find((known) => known === behavior);
    if (!restore_behavior) {
      throw new UsageError(
        `Cannot set the restore behavior: ${JSON.stringify(behavior)} is unknown; it must be ` +
          "transfer, share or keep",
      );
    }
    const simulator = await openSimulator(context, data);
    showOne(context, await changeSettings(simulator, { restore_behavior }));
  },
});
