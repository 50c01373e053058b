/**
 * `cli scenario record`: writes a scenario from what a customer went through at the local service.
 *
 * @module
 */

import { ToolkitError, UsageError } from "../../../errors.ts";
import type { Simulator } from "../../../simulator/simulator.ts";
import type { Recording } from "../../../scenario/record/record.ts";
import type { Context } from "../../context.ts";
import { dataFlag } from "../../local/local_service.ts";
import { openSimulator } from "../../local/simulator.ts";
import { writeNew } from "../../scenario/write.ts";
import { counted } from "../../screen/display.ts";
import { argument, command, optionalArgument, toggle } from "../../words/command.ts";
import { quoted } from "../../screen/command_lines.ts";

/** Stands for standard output. */
const STANDARD_OUTPUT = "-";

/** Writes a scenario from a customer's history. */
export const record = command({
  brief: "Write a scenario from what a customer went through at the local service",
  details:
    "The file holds the products that were bought, each step with its events, and the access " +
    "after it. Customers who shared or exchanged purchases with the customer are in it too. It is " +
    "run before it is written, so it passes. What cannot be recorded is a comment in the file. " +
    "The file holds the customers' ids and attributes.",
  examples: [
    "cli scenario record ada scenarios/ada.yaml",
    "cli scenario record ada > ada.yaml",
  ],
  args: {
    user_id: argument("The customer's app user id"),
    file: optionalArgument("The file to write (default: -, standard output)"),
  },
  flags: { force: toggle("Replace a file that is there"), ...dataFlag },
  async run(context, { user_id, file = STANDARD_OUTPUT, force, data }) {
    const { out } = context;
    const simulator = await openSimulator(context, data);
    const recording = await recordCustomer(context, simulator, user_id);
    await checkPasses(context, recording);
    const isFile = file !== STANDARD_OUTPUT;
    if (isFile && !await writeNew(file, recording.text, force === true)) {
      throw new UsageError(`Cannot write ${JSON.stringify(file)}: the file exists`, {
        hint: "Pass --force to replace it.",
      });
    }
    const { text, notes, events, steps } = recording;
    if (out.format === "json") {
      const where = isFile ? { file } : { file: null, text };
      out.json(JSON.stringify({ object: "scenario_recording", ...where, events, steps, notes }));
    } else if (!isFile) out.text(text.trimEnd());
    notes.forEach((note) => out.note(note));
    out.done(`Recorded ${counted(events, "event")} of ${user_id} in ${counted(steps, "step")}`);
    if (isFile) out.note(`Run it: cli scenario run ${quoted(file)}`);
  },
});

/** Records a customer. */
async function recordCustomer(
  context: Context,
  simulator: Simulator,
  customer: string,
): Promise<Recording> {
  const { getCustomerHistory } = await import("../../../simulator/history.ts");
  const { recordHistory } = await import("../../../scenario/record/record.ts");
  const { openStage } = await import("../../scenario/stage.ts");
  const history = await getCustomerHistory(simulator, customer);
  const options = { seed: customer, delivers: false, allowHost: false };
  return await recordHistory(history, {
    open: (at) => openStage(context, { at, ...options }),
    notes: await faultsOf(simulator),
  });
}

/** The faults that are set, which no record ties to a customer. */
async function faultsOf(simulator: Simulator): Promise<string[]> {
  const { listRequestFaults } = await import("../../../simulator/faults.ts");
  const { listDeliveryFaults } = await import("../../../simulator/webhooks.ts");
  const requests = await listRequestFaults(simulator.client);
  const deliveries = await listDeliveryFaults(simulator);
  return [
    ...requests.items.length > 0 ? ["Not recorded: faults of requests that are set"] : [],
    ...deliveries.items.length > 0 ? ["Not recorded: faults of deliveries that are set"] : [],
  ];
}

/**
 * Runs the recorded file.
 *
 * @throws {ToolkitError} when it does not pass, so that nobody gets such a file.
 */
async function checkPasses(context: Context, { text }: Recording): Promise<void> {
  const { parseScenario } = await import("../../../scenario/file/parse.ts");
  const { runScenario } = await import("../../../scenario/run/run.ts");
  const { failuresOf } = await import("../../../scenario/run/outcome.ts");
  const { openStage } = await import("../../scenario/stage.ts");
  const readFile = () => Promise.reject(new UsageError("a recording reads no files"));
  const { scenario, problems: [problem] } = await parseScenario(text, { vars: {}, readFile });
  if (!scenario) throw cannotRecord(problem?.message ?? "the file cannot be read");
  const at = scenario.start.at;
  const options = { at, seed: text, delivers: false, allowHost: false };
  const stage = await openStage(context, options);
  try {
    const digest = () => "";
    const outcome = await runScenario(scenario, { stage, file: "", vars: {}, digest });
    const [failure] = failuresOf(outcome);
    if (failure) throw cannotRecord(`step ${failure.step}: ${failure.message}`);
  } finally {
    await stage.close();
  }
}

function cannotRecord(why: string): ToolkitError {
  return new ToolkitError(`Cannot record the customer: ${why}`, {
    hint: "Show the customer with: cli subscribers info",
  });
}
