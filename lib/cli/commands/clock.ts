/**
 * `cli clock …`: the clock of a project at the local service, which can be stopped and advanced.
 *
 * @module
 */

import { type Command, command, group } from "../words/command.ts";
import { showClock } from "../local/clock.ts";
import { dataFlag } from "../local/local_service.ts";
import { openSimulator, sameFlags } from "../local/simulator.ts";
import { advance } from "./clock/advance.ts";
import { cancel } from "./clock/cancel.ts";
import { freezeClock, getClock, type ProjectClock, runClock } from "../../simulator/clock.ts";
import type { Simulator } from "../../simulator/simulator.ts";
import { time } from "../screen/display.ts";

const show = command({
  brief: "Show a project's clock",
  flags: dataFlag,
  async run(context, { data }) {
    showClock(context, await getClock(await openSimulator(context, data)));
  },
});

const freeze = onClock("Stop a project's clock", freezeClock, (clock, flags) => [
  `The clock is stopped at ${time(clock.now)}`,
  `Advance it: cli clock advance 30d${flags}`,
]);

const run = onClock("Let a project's clock run", runClock, (clock, flags) => [
  `The clock runs from ${time(clock.now)}`,
  `Stop it: cli clock freeze${flags}`,
]);

/** The time of a project. */
export const clock = group("Show, stop or advance a project's clock (local service)", [], {
  show,
  freeze,
  run,
  advance,
  cancel,
});

/** Makes a command that acts on a clock. */
function onClock(
  brief: string,
  send: (simulator: Simulator) => Promise<ProjectClock>,
  told: (clock: ProjectClock, flags: string) => [done: string, next: string],
): Command {
  return command({
    brief,
    flags: dataFlag,
    async run(context, { data }) {
      const clock = await send(await openSimulator(context, data));
      showClock(context, clock);
      if (context.out.format === "json") return;
      const [done, next] = told(clock, sameFlags(context, data));
      context.out.done(done);
      context.out.note(next);
    },
  });
}
