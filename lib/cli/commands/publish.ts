/**
 * `cli publish …`: several operations as one change, with one plan and one confirmation.
 *
 * @module
 */

import { askAbout, confirmFlags } from "../words/plain.ts";
import type { Client } from "../../client.ts";
import { ApiError, UsageError } from "../../errors.ts";
import { path } from "../../path.ts";
import { getOffering, type Offering, updateOffering } from "../../resources/offerings.ts";
import { type PaywallContent, setOfferingPaywall } from "../../resources/paywalls.ts";
import { argument, command, group, text, toggle } from "../words/command.ts";
import type { Context } from "../context.ts";
import { readJsonFile } from "../input/json_file.ts";
import type { Column } from "../screen/output.ts";
import { PartlyDone } from "../screen/outcome.ts";

/** One step of the plan, and its result. */
interface Step {
  /** Its description. */
  step: string;
  /** Its status. */
  status: "planned" | "done" | "skipped" | "failed" | "not reached";
  /** Details, if needed. */
  detail: string | null;
  /** Runs the step, and returns its result. */
  run?: () => Promise<string | null>;
}

const columns: Column<Step>[] = [
  { header: "step", value: ({ step }) => step },
  { header: "status", value: ({ status }) => status, kind: "word" },
  { header: "detail", value: ({ detail }) => detail },
];

const offering = command({
  brief: "Publish an offering",
  details:
    "Sets the paywall with --paywall, and makes the offering current unless --no-current is " +
    "given. Steps that would change nothing are skipped, so you can run the same command again " +
    "after a failure.",
  args: { id: argument("The offering's lookup key or id") },
  flags: {
    paywall: text("A JSON file with the paywall's content, or - for standard input", {
      placeholder: "path",
    }),
    current: toggle("Make the offering current (the default)"),
    no_current: toggle("Leave the current offering as it is"),
    dry_run: toggle("Print the plan and stop"),
    ...confirmFlags,
  },
  async run(context, { id, paywall, current, no_current, dry_run, ...input }) {
    if (current === true && no_current === true) {
      throw new UsageError(
        "Cannot publish an offering: --current and --no-current exclude each other",
        {
          hint: "Pass one of them",
        },
      );
    }
    const content = paywall === undefined ? undefined : await readContent(context, paywall);
    const client = await context.client();
    const found = await getOffering(client, id);
    const name = found.lookup_key ?? id;
    const steps = [
      ...content === undefined ? [] : [await paywallStep(client, found, content)],
      ...no_current === true || current === false ? [] : [currentStep(client, found, current)],
    ];
    const { out } = context;
    if (out.format === "table") {
      out.table(steps, columns, { empty: "There is nothing to publish." });
    }
    if (dry_run !== true && steps.some(({ status }) => status === "planned")) {
      await askAbout(context, input, () => `Publish the offering ${name}`);
      await runSteps(context, found, steps);
      if (out.format === "table") {
        out.table(steps, columns);
        out.done(`Published the offering ${name}`);
      }
    }
    if (out.format === "json") showSteps(context, found, steps, dry_run === true);
  },
});

/** Publishing. */
export const publish = group("Publish an offering with its paywall", [], {
  offering,
});

/** The types of the fields that the service uses. It keeps all others as they are. */
const CONTENT: Readonly<Record<string, readonly string[]>> = {
  template_name: ["a text"],
  default_locale: ["a text"],
  asset_base_url: ["a text", "an empty text"],
  localized_strings: ["an object"],
  components_localizations: ["an object"],
  components_config: ["an object"],
  config: ["an object"],
};

/** The fields with an object for each language. */
const TEXTS = ["localized_strings", "components_localizations"];

/**
 * Reads the content of a paywall, and refuses what the service would refuse. An empty object is
 * refused as well: it would erase the paywall.
 */
async function readContent(context: Context, file: string): Promise<PaywallContent> {
  const content = await readJsonFile(context.files, file);
  if (Object.keys(content).length === 0) {
    throw new UsageError("Cannot publish the paywall: its content is empty", {
      hint: "Add at least one key to the file",
    });
  }
  const wrong = Object.entries(content).flatMap(faultsIn);
  if (wrong.length === 0) return content;
  throw new UsageError(`Cannot publish the paywall: ${wrong.join("; ")}`, {
    hint: `Correct it in the file ${JSON.stringify(file)}`,
  });
}

/** The service's reason to refuse a field. */
function faultsIn([name, value]: [string, unknown]): string[] {
  const kind = kindOf(value);
  if (name === "revision") return ['"revision" must be left out; the service sets it'];
  const [wanted = kind, ...others] = Object.hasOwn(CONTENT, name) ? CONTENT[name] ?? [] : [];
  if (![wanted, ...others].includes(kind)) {
    const isText = wanted === "a text" && value === "";
    return [
      `${JSON.stringify(name)} ${isText ? "must not be empty" : `is ${kind}, not ${wanted}`}`,
    ];
  }
  const lost = lostIn(name, value);
  if (lost !== undefined) return [lost];
  if (!TEXTS.includes(name)) return [];
  return Object.entries(Object(value)).flatMap(([language, texts]) => {
    const inner = kindOf(texts);
    const where = JSON.stringify(`${name}.${language}`);
    return inner === "an object" ? [] : [`${where} is ${inner}, not an object`];
  });
}

/** The service's reason to refuse a name or value at any depth, since it could not store it. */
function lostIn(name: string, value: unknown, where = name): string | undefined {
  if (name === "__proto__") {
    return `${JSON.stringify(where)} must be left out: no field has that name`;
  }
  const texts = typeof value === "string" ? [name, value] : [name];
  if (texts.some((text) => text.includes("\0") || !text.isWellFormed())) {
    return `${JSON.stringify(where)} holds text that is not valid Unicode, or a NUL character`;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const inner = Object.entries(value);
  return inner.map(([key, one]) => lostIn(key, one, `${where}.${key}`)).find((one) => one);
}

/** The JSON type of a value. */
function kindOf(value: unknown): string {
  if (value === "") return "an empty text";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "string") return "a text";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** The step that sets the paywall, skipped when the service has the same content. */
async function paywallStep(
  client: Client,
  offering: Offering,
  content: PaywallContent,
): Promise<Step> {
  const step = "Set the paywall";
  const before = await currentContent(client, offering.id);
  if (before !== undefined && canonical(before) === canonical(content)) {
    return { step, status: "skipped", detail: "the content is the same" };
  }
  return {
    step,
    status: "planned",
    detail: before === undefined ? "there is no content yet" : "the content differs",
    run: async () => {
      const { id, components } = await setOfferingPaywall(client, offering.id, content);
      const revision = components?.published?.revision;
      const parts = [id && `paywall ${id}`, revision && `revision ${revision}`];
      return parts.filter(Boolean).join(", ") || null;
    },
  };
}

/** The step that makes the offering current, skipped when it already is. */
function currentStep(client: Client, offering: Offering, asked: boolean | undefined): Step {
  const step = "Make it the current offering";
  if (offering.is_current) return { step, status: "skipped", detail: "it is already current" };
  return {
    step,
    status: "planned",
    detail: asked === true ? null : "the default; skip it with --no-current",
    run: async () => {
      await updateOffering(client, offering.id, { is_current: true });
      return "it is now current";
    },
  };
}

/** The service's content, if it has any and returns it. */
async function currentContent(client: Client, offeringId: string): Promise<object | undefined> {
  try {
    return await client.get<object>(path`/offerings/${offeringId}/paywall`);
  } catch (error) {
    // Without the service's content there is no comparison: then it is set again.
    if (error instanceof ApiError && (error.status === 404 || error.status === 405)) {
      return undefined;
    }
    throw error;
  }
}

/** Runs the planned steps in order. A failure lists the completed steps and the others. */
async function runSteps(
  context: Context,
  offering: Offering,
  steps: Step[],
): Promise<void> {
  for (const step of steps) {
    if (!step.run) continue;
    try {
      step.detail = await step.run();
      step.status = "done";
    } catch (error) {
      const done = steps.filter(({ status }) => status === "done").map(({ step }) => step);
      step.status = "failed";
      step.detail = error instanceof Error ? error.message : String(error);
      for (const later of steps) if (later.status === "planned") later.status = "not reached";
      if (context.out.format === "json") showSteps(context, offering, steps, false);
      if (done.length === 0) throw error;
      throw new PartlyDone(
        `Cannot ${lower(step.step)}: ${step.detail}; completed before: ` +
          `${done.map(lower).join(", ")}`,
        { hint: "Run the same command again: it skips the completed steps", cause: error },
      );
    }
  }
}

/** Prints the plan and its results as JSON. */
function showSteps(context: Context, offering: Offering, steps: Step[], dryRun: boolean): void {
  const shown = steps.map(({ step, status, detail }) => ({ step, status, detail }));
  const { id, lookup_key } = offering;
  context.out.json(JSON.stringify({ offering: { id, lookup_key }, dry_run: dryRun, steps: shown }));
}

function lower(text: string): string {
  return text[0]?.toLowerCase() + text.slice(1);
}

/** JSON text that is equal for equal values, in any order of their keys. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const keys = Object.entries(value).sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0);
  return `{${keys.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(",")}}`;
}
