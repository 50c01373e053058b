/**
 * `cli service populate`: many customers with a past.
 *
 * @module
 */

import { ApiError, Cancelled, ToolkitError } from "../../../errors.ts";
import { pause } from "../../../retry.ts";
import {
  cancelPopulation,
  getPopulation,
  type NewPopulation,
  type Population,
  previewPopulation,
  startPopulation,
} from "../../../simulator/population.ts";
import type { Simulator } from "../../../simulator/simulator.ts";
import type { Context } from "../../context.ts";
import { parseCount } from "../../input/input.ts";
import { dataFlag } from "../../local/local_service.ts";
import { openSimulator, sameFlags } from "../../local/simulator.ts";
import { bar } from "../../screen/bar.ts";
import { counted } from "../../screen/display.ts";
import type { Field } from "../../screen/output.ts";
import { choice, command, parsed } from "../../words/command.ts";
import { askFirst, confirmFlags } from "../../words/plain.ts";

const fields: Field<Population>[] = [
  { label: "customers", value: ({ customers }) => customers },
  { label: "subscriptions", value: ({ subscriptions }) => subscriptions },
  { label: "purchases", value: ({ purchases }) => purchases },
  { label: "steps", value: ({ steps }) => steps },
  { label: "from", value: ({ from }) => from, kind: "time" },
  { label: "to", value: ({ to }) => to, kind: "time" },
];

/** Adds a population to a project. */
export const populate = command({
  brief: "Add simulated customers to a project",
  details:
    "The customers come over some months, which end at the project's time. Most only look; others " +
    "try, buy, cancel, fail to pay, share, get a refund, come back. Everything follows the rules of " +
    "cli simulate, so charts, lists and events agree. The same seed makes the same customers. " +
    "Without --kind they buy the project's products. With --kind, or in a project without products " +
    "(there the kind is notes), the products of that kind are added if they are missing, and " +
    "bought. Webhooks get the events of their types. Ctrl-C stops it: the customers so far stay, and " +
    "their subscriptions go on to the project's time. The same command then adds the others, also " +
    "after the service was killed.",
  examples: [
    "cli service populate --customers 10000 --months 12 --seed 42",
    "cli service populate --kind games --yes",
  ],
  flags: {
    customers: parsed(
      "The number of customers, up to 100,000 (default: 1000)",
      (value) => parseCount(value, "--customers", { min: 1 }),
      { placeholder: "n" },
    ),
    months: parsed(
      "The months of their past, up to 60 (default: 12)",
      (value) => parseCount(value, "--months", { min: 1 }),
      { placeholder: "n" },
    ),
    seed: parsed(
      "The seed of the random numbers (default: 1)",
      (value) => parseCount(value, "--seed", { min: 0 }),
      { placeholder: "n" },
    ),
    kind: choice("The kind of app", ["notes", "games", "news"]),
    ...dataFlag,
    ...confirmFlags,
  },
  hint: async ({ status, param }, { input: { seed = 1, data }, context }) => {
    if (status !== 409) return undefined;
    const folder = typeof data === "string" ? data : undefined;
    const latest = await latestOf(await openSimulator(context, folder));
    const again = latest && commandFor(latest) + sameFlags(context, folder);
    if (latest?.running) return `Wait for it, or stop it with Ctrl-C: ${again}`;
    if (param !== "seed") return undefined;
    return latest && latest.seed === seed && latest.customers < latest.wanted
      ? `Continue it: ${again}`
      : "Use another --seed to add more customers.";
  },
  async run(context, { customers = 1000, months = 12, seed = 1, kind, data, ...input }) {
    const { out } = context;
    const simulator = await openSimulator(context, data);
    const wanted = { customers, months, seed, kind, confirmed: true };
    const latest = await latestOf(simulator);
    const before = latest && isSame(latest, wanted) ? latest : undefined;
    if (before?.running) out.note("This population is being made already");
    // Its customers cannot be counted meanwhile, and another one is refused.
    if (!latest?.running) {
      await confirmMore(context, simulator, { ...input, count: customers - comeIn(before) });
    }
    const made = await make(context, simulator, {
      data,
      start: () => startPopulation(simulator, wanted),
    });
    if (made.error !== null) {
      throw new ToolkitError(`Cannot make the whole population: ${made.error}`, {
        hint: `${counted(made.customers, "customer")} have come. Add the others: ` +
          commandFor(made) + sameFlags(context, data),
      });
    }
    if (out.format === "json") return out.json(JSON.stringify(made));
    out.card(made, fields);
    const added = made.customers - comeIn(before);
    out.done(`Added ${counted(added, "customer")} to the project ${simulator.project}`);
    out.note(`See what they earn: cli charts get revenue${sameFlags(context, undefined)}`);
  },
});

/** The latest population of a project, if there is one. */
async function latestOf(simulator: Simulator): Promise<Population | undefined> {
  try {
    return await getPopulation(simulator);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** Whether a population is the wanted one. */
function isSame(
  made: Population,
  { customers, months, seed, kind }: NewPopulation,
): boolean {
  return made.wanted === customers && made.seed === seed && made.months === months &&
    made.kind === (kind ?? null);
}

/** The customers of a population that was interrupted. */
function comeIn(before: Population | undefined): number {
  return before?.running === false && before.customers < before.wanted ? before.customers : 0;
}

/** The command that makes a population. */
function commandFor({ wanted, months, seed, kind }: Population): string {
  return `cli service populate --customers ${wanted} --months ${months ?? 12} --seed ${seed ?? 1}` +
    (kind === null ? "" : ` --kind ${kind}`);
}

/** Asks before customers are added to others, or webhooks get many events. */
async function confirmMore(
  context: Context,
  simulator: Simulator,
  { count, ...input }: { count: number } & Parameters<typeof askFirst>[1],
): Promise<void> {
  const present = await previewPopulation(simulator);
  const has = [
    ...present.customers > 0 ? [counted(present.customers, "customer")] : [],
    ...present.webhooks > 0 ? [webhooksIn(present.webhooks)] : [],
  ];
  if (has.length === 0) return;
  const question = `The project ${simulator.project} has ${has.join(" and ")}. ` +
    `Add ${counted(count, "customer")}?`;
  await askFirst(context, input, question);
}

/** The webhooks in words. Each gets the events of its types, which may be few or all. */
function webhooksIn(count: number): string {
  return `${counted(count, "webhook")} that ${count === 1 ? "gets" : "get"} events`;
}

/** Makes the population and waits for it. If the person stops waiting, nobody comes any more. */
async function make(
  context: Context,
  simulator: Simulator,
  { data, start }: { data: string | undefined; start: () => Promise<Population> },
): Promise<Population> {
  try {
    let population = await start();
    for (let look = 0; population.running; look++) {
      context.out.live(barOf(population));
      await pause(PAUSES[look] ?? LAST_PAUSE_MS, context.signal);
      population = await getPopulation(simulator);
    }
    context.out.live("");
    return population;
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    throw new Cancelled(error.message, { cause: error, hint: await stop(context, data) });
  }
}

/** The pauses between two looks, in milliseconds. The last one is repeated. */
const PAUSES = [20, 50, 100, 200];
const LAST_PAUSE_MS = 300;

/** The progress as a bar, with the time left. */
function barOf({ customers, wanted, left_ms }: Population): string {
  const left = left_ms === null ? "" : `, about ${Math.ceil(left_ms / 1000)} s left`;
  return `${bar(customers / wanted)} ${customers} of ${counted(wanted, "customer")}${left}`;
}

/** Stops the population after Ctrl-C. Returns a sentence about it. */
async function stop(context: Context, data: string | undefined): Promise<string> {
  try {
    const simulator = await openSimulator(context, data, { heedsStop: false });
    const { cancelled, customers } = await cancelPopulation(simulator);
    return cancelled
      ? `The population was stopped after ${
        counted(customers, "customer")
      }, which stay. The same ` +
        "command adds the others."
      : "The population was already made.";
  } catch {
    return "The service goes on making the population. See: cli service status";
  }
}
