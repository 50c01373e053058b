/**
 * `cli events trigger`: an event of a type, by simulating its cause.
 *
 * @module
 */

import { UsageError } from "../../../errors.ts";
import { argument, command, text, texts } from "../../words/command.ts";
import type { Context } from "../../context.ts";
import { canBeChosen, EVENT_TYPES } from "../../events/types.ts";
import { parsePairs } from "../../input/input.ts";
import { dataFlag } from "../../local/local_service.ts";
import { openSimulator, sameFlags } from "../../local/simulator.ts";
import { showEvent } from "./view.ts";
import { listEventDeliveries, type LoggedEvent, triggerEvent } from "../../../simulator/events.ts";

/** Triggers an event. */
export const trigger = command({
  brief: "Trigger an event (local service)",
  details: "Simulates what causes the event, for the given customer or for a new one. Missing " +
    "purchases are made first, and obstacles are removed: a pause ends, a failed charge " +
    "succeeds, and renewal is switched on again. If the customer owns every product, the " +
    "oldest subscription ends first. --override changes a step, such as purchase.price=4.99 or " +
    "expire.reason=PRICE_INCREASE; an invalid one lists the valid ones. Either all steps " +
    "happen or none.",
  examples: [
    "cli events trigger renewal",
    "cli events trigger cancellation --customer ada",
    "cli events trigger initial_purchase --override purchase.price=4.99",
  ],
  args: { type: argument("The type, such as renewal; see: cli events types") },
  flags: {
    customer: text("The customer (default: a new one)", { placeholder: "id" }),
    override: texts("Change a step of the simulation: step.field=value", { placeholder: "pair" }),
    ...dataFlag,
  },
  params: { overrides: "--override", customer_id: "--customer" },
  hint: ({ referencedObjectIds: [id] }) =>
    id === undefined ? undefined : `${id} prevents it; end it with: cli simulate expire ${id}`,
  async run(context, { type, customer: customer_id, override, data }) {
    const pairs = parsePairs(override, "--override");
    checkOnce(pairs.map(([name]) => name));
    const body = {
      type: checkType(type),
      customer_id,
      overrides: Object.fromEntries(pairs.map(([name, value]) => [name, valueOf(value)])),
    };
    const simulator = await openSimulator(context, data);
    const event = await triggerEvent(simulator, body);
    showEvent(context, event);
    if (context.out.format === "json") return;
    const { items } = await listEventDeliveries(simulator, event.id);
    tellTriggered(context, event, { webhooks: items.length, data });
  },
});

/** Refuses an unknown type, or one that cannot be triggered here. */
function checkType(word: string): string {
  const type = word.trim().toUpperCase();
  const known = EVENT_TYPES.find((one) => one.type === type);
  if (known?.trigger) return type;
  const why = known
    ? `${type} cannot be triggered here (${known.why_not})`
    : `there is no type ${type}`;
  const able = EVENT_TYPES.filter(({ trigger }) => trigger).map((one) => one.type).join(", ");
  throw new UsageError(
    `Cannot trigger ${JSON.stringify(word)}: ${why}; it must be one of ${able}`,
    {
      hint: "See their descriptions with: cli events types",
    },
  );
}

/** Refuses a repeated field: only one of its values could be sent. */
function checkOnce(names: readonly string[]): void {
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice === undefined) return;
  throw new UsageError(`Cannot use --override: it names ${JSON.stringify(twice)} twice`, {
    hint: "Give each field one value.",
  });
}

/** The text in a JSON string, or the text itself. The service converts it to the field's type. */
function valueOf(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : text;
  } catch {
    return text;
  }
}

/** Shows the triggered event, and the number of its webhooks. */
function tellTriggered(
  context: Context,
  event: LoggedEvent,
  { webhooks, data }: { webhooks: number; data: string | undefined },
): void {
  const { out } = context;
  const flags = sameFlags(context, data);
  out.done(`Triggered ${event.type}${ofWhom(event)}`);
  if (webhooks > 0) out.note(`It goes to ${webhooks === 1 ? "1 webhook" : `${webhooks} webhooks`}`);
  else if (event.type === "TEST") {
    out.note(
      `No webhook subscribes to it. Send one to a webhook with: cli webhooks ping <id>${flags}`,
    );
  } else if (!canBeChosen(event.type)) {
    out.note("Webhooks cannot choose this type, and no webhook receives all types.");
  } else out.note("No webhook subscribes to it.");
  out.note(`See the body sent to webhooks: cli events view ${event.id}${flags}`);
}

/** The customer of an event, or both customers of a transfer. */
function ofWhom({ type, customer_id, delivery }: LoggedEvent): string {
  if (type === "TEST") return "";
  // Every webhook body has this form.
  const { event } = delivery as { event: { transferred_from?: string[] } };
  const { transferred_from: [from] = [] } = event;
  return from === undefined ? ` of ${customer_id}` : ` from ${from} to ${customer_id}`;
}
