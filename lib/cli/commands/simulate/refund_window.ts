/**
 * `cli simulate refund-window`.
 *
 * @module
 */

import { argument, command } from "../../words/command.ts";
import { parseCount } from "../../input/input.ts";
import { dataFlag } from "../../local/local_service.ts";
import { showOne } from "../../words/plain.ts";
import { openSimulator } from "../../local/simulator.ts";
import { changeSettings } from "../../../simulator/catalogue.ts";

/** Sets the refund window, in days. */
export const refundWindow = command({
  brief: "Set the refund window",
  args: { days: argument("The window, in days: 0 to 36500") },
  flags: dataFlag,
  async run(context, { days, data }) {
    const refund_window_days = parseCount(days, "the refund window", { min: 0, max: 36_500 });
    const simulator = await openSimulator(context, data);
    showOne(context, await changeSettings(simulator, { refund_window_days }));
  },
});
