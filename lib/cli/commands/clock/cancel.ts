/**
 * `cli clock cancel`: ending an advance of the clock early.
 *
 * @module
 */

import { showClock } from "../../local/clock.ts";
import { dataFlag } from "../../local/local_service.ts";
import { openSimulator } from "../../local/simulator.ts";
import { command } from "../../words/command.ts";
import { cancelAdvance, getClock } from "../../../simulator/clock.ts";

/** Ends an advance early. */
export const cancel = command({
  brief: "Stop an advance of the clock",
  details: "The clock keeps the time it has reached. Everything due until then has happened, and " +
    "nothing after it. The clock then stands or runs, as before the advance.",
  flags: dataFlag,
  async run(context, { data }) {
    const simulator = await openSimulator(context, data);
    const { cancelled } = await cancelAdvance(simulator);
    showClock(context, await getClock(simulator));
    context.out.done(cancelled ? "The advance was stopped" : "No advance was running");
  },
});
