/**
 * `cli verify`: finds what breaks a webhook handler.
 *
 * @module
 */

import { ToolkitError, UsageError } from "../../errors.ts";
import type { Coverage } from "../../scenario/verify/deliver.ts";
import type { Search } from "../../scenario/verify/search.ts";
import type { Context } from "../context.ts";
import { writeFile } from "../data/write_file.ts";
import { parseCount } from "../input/input.ts";
import { keysOf, openHandler } from "../scenario/handler.ts";
import { checkHost } from "../scenario/hosts.ts";
import { checkedSecret } from "../scenario/secret.ts";
import { counted } from "../screen/display.ts";
import { argument, command, parsed, requiredText, text, toggle } from "../words/command.ts";

/** How many lives are tried without another wish. */
const USUAL_RUNS = 200;

/** Where the scenario goes that reproduces a fault. */
const USUAL_FILE = "verify.yaml";

/** What a file begins with that this command wrote. */
const MARK = "# Found with: cli verify";

/** Finds what breaks a webhook handler. */
export const verify = command({
  brief: "Find what breaks a webhook handler",
  details:
    "Plays random lives of customers and delivers their events as the documents allow: twice, a " +
    "retry after later ones, with unknown types and fields, for the sandbox, with wrong and old " +
    "signatures. After each life the handler's state is compared with the truth. A fault is made " +
    "as small as possible and written as a scenario file. Production access is what counts.",
  examples: [
    "cli verify http://localhost:3000/ --state 'http://localhost:3000/u/{customer}'",
    "cli verify $HOOK --state $STATE --path .access.pro --runs 1000 --seed 7",
  ],
  args: { url: argument("The handler's address") },
  flags: {
    state: requiredText("The address of a customer's state, with {customer} in it", {
      placeholder: "url",
    }),
    path: text("Where the answer says whether there is access (default: .pro)", {
      placeholder: "path",
    }),
    secret: text("Sign deliveries with it (default: CLI_WEBHOOK_SECRET)", { placeholder: "whsec" }),
    runs: parsed(
      `How many lives are tried (default: ${USUAL_RUNS})`,
      (value) => parseCount(value, "--runs", { min: 1, max: 100_000 }),
      { placeholder: "n" },
    ),
    seed: parsed(
      "What the lives are drawn by (default: 1)",
      (value) => parseCount(value, "--seed", { min: 0, max: 2_147_483_647 }),
      { placeholder: "n" },
    ),
    save: text(`Where the scenario of a fault goes (default: ${USUAL_FILE})`, {
      placeholder: "file",
    }),
    allow_host: toggle("Let the handler be on another machine"),
  },
  async run(context, input) {
    const { url, state, path = ".pro", runs = USUAL_RUNS, seed = 1, save = USUAL_FILE } = input;
    const allowHost = input.allow_host === true;
    checkHost(url, "<url>", allowHost);
    checkHost(state.replaceAll("{customer}", "ada"), "--state", allowHost);
    if (!state.includes("{customer}")) {
      throw new UsageError(`Cannot use ${JSON.stringify(state)} for --state: it has no {customer}`);
    }
    const secret = checkedSecret(input.secret ?? context.around.env("CLI_WEBHOOK_SECRET"));
    if (secret === undefined) {
      throw new UsageError("Cannot sign deliveries: no signing secret is given", {
        hint: "Set CLI_WEBHOOK_SECRET to the secret that the handler checks, or pass --secret.",
      });
    }
    const entitlement = keysOf(path).at(-1) ?? "pro";
    const { searchFault } = await import("../../scenario/verify/search.ts");
    const { createStages } = await import("../scenario/stocked.ts");
    const stages = createStages(context);
    const search = await searchFault({
      runs,
      seed,
      entitlement,
      handler: await openHandler(context, { url, state, path, secret, allowHost }),
      open: stages.open,
      // The handler may remember the customers of the last search.
      prefix: `v${context.around.now().toString(36)}`,
      signal: context.signal,
    }).finally(stages.close);
    const command = `${MARK.slice("# Found with: ".length)} ${url} --seed ${seed} --runs ${runs}`;
    await show(context, search, { state, path, command, save, seed });
  },
});

/** How to show what came of a search. */
interface Shown {
  /** The address of a customer's state. */
  readonly state: string;
  /** The path in its answer. */
  readonly path: string;
  /** The command that was run. */
  readonly command: string;
  /** Where the scenario goes. */
  readonly save: string;
  /** What the lives were drawn by. */
  readonly seed: number;
}

/** Shows what came of a search; throws when there is a fault. */
async function show(context: Context, search: Search, shown: Shown): Promise<void> {
  const { out } = context;
  const { found, lives, coverage } = search;
  const { tellFault, tellParcels, scenarioOf } = await import("../../scenario/verify/tell.ts");
  const file = found && await saveScenario(shown.save, scenarioOf(found, shown));
  if (out.format === "json") {
    out.json(JSON.stringify({
      object: "verification",
      seed: shown.seed,
      lives,
      fault: found
        ? {
          kind: found.complaint.kind,
          sentence: tellFault(found),
          message: found.complaint.message,
          deliveries: tellParcels(found),
          scenario: file ?? null,
        }
        : null,
      coverage: rowsOf(coverage),
    }));
  } else {
    if (found) {
      out.text(tellFault(found));
      tellParcels(found).forEach((line) => out.text(`  ${line}`));
      out.text(`  ${found.complaint.message}`);
    }
    out.table(rowsOf(coverage), [
      { header: "type", value: (row) => row.type },
      { header: "situation", value: (row) => row.situation },
      { header: "count", value: (row) => row.count },
    ], { title: "Deliveries" });
  }
  if (!found) return out.done(`${counted(lives, "life", "lives")} passed, seed ${shown.seed}`);
  throw new ToolkitError(`Cannot pass: the handler has a fault, found in life ${lives}`, {
    hint: file === undefined
      ? `${shown.save} is another file; choose one for the scenario with --save`
      : `Run it again: cli scenario run ${file} --webhook URL`,
  });
}

/** One row of what was tried. */
interface Row {
  /** The type of the event. */
  readonly type: string;
  /** What was special about the delivery. */
  readonly situation: string;
  /** How many there were. */
  readonly count: number;
}

function rowsOf(coverage: Coverage): Row[] {
  return [...coverage].sort(([a], [b]) => a < b ? -1 : 1).flatMap(([type, row]) =>
    [...row].map(([situation, count]) => ({ type, situation, count }))
  );
}

/** Writes the scenario, unless another file is there. Returns where it is. */
async function saveScenario(path: string, text: string): Promise<string | undefined> {
  const there = await Deno.readTextFile(path).catch(() => undefined);
  if (there !== undefined && !there.startsWith(MARK)) return undefined;
  await writeFile(path, text);
  return path;
}
