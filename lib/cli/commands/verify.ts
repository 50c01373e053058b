/**
 * `cli verify`: finds what breaks a webhook handler.
 *
 * @module
 */

import { Cancelled, ToolkitError, UsageError } from "../../errors.ts";
import type { Coverage } from "../../scenario/verify/deliver.ts";
import type { Found, Search } from "../../scenario/verify/search.ts";
import type { Context } from "../context.ts";
import { writeFile } from "../data/write_file.ts";
import { parseCount } from "../input/input.ts";
import { keysOf, openHandler } from "../scenario/handler.ts";
import { checkHost } from "../scenario/hosts.ts";
import { findSecret } from "../scenario/secret.ts";
import { shellWord } from "../../config/shell_word.ts";
import { counted, visible } from "../screen/display.ts";
import { argument, command, parsed, requiredText, text, toggle } from "../words/command.ts";

/** How many lives are tried without another wish. */
const USUAL_RUNS = 200;

/** How many faults are searched for without another wish, and at most. */
const USUAL_FAULTS = 5;
const MOST_FAULTS = 20;

/** Where the scenario goes that reproduces a fault. */
const USUAL_FILE = "verify.yaml";

/** What a file begins with that this command wrote. */
const MARK = "# Found with: cli verify";

/** Finds what breaks a webhook handler. */
export const verify = command({
  brief: "Test a webhook handler with random histories",
  details:
    "Simulates random histories of customers and delivers their events as the documents allow: twice, a " +
    "retry after later ones, after a pause, those of different customers swapped, with unknown " +
    "types and fields, for the sandbox, with wrong and old signatures. After each history the " +
    "handler's state is compared with the truth. Each fault is made as small as possible and " +
    "written as a scenario file. Production access is what counts.",
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
      `How many histories are tried (default: ${USUAL_RUNS})`,
      (value) => parseCount(value, "--runs", { min: 1, max: 100_000 }),
      { placeholder: "n" },
    ),
    seed: parsed(
      "What the histories are drawn by (default: 1)",
      (value) => parseCount(value, "--seed", { min: 0, max: 2_147_483_647 }),
      { placeholder: "n" },
    ),
    faults: parsed(
      `How many different faults are searched for (default: ${USUAL_FAULTS})`,
      (value) => parseCount(value, "--faults", { min: 1, max: MOST_FAULTS }),
      { placeholder: "n" },
    ),
    save: text(`Where the scenario of a fault goes (default: ${USUAL_FILE})`, {
      placeholder: "file",
    }),
    allow_host: toggle("Let the handler be on another machine"),
  },
  async run(context, input) {
    const { url, state, path = ".pro", runs = USUAL_RUNS, seed = 1, save = USUAL_FILE } = input;
    const { faults = USUAL_FAULTS } = input;
    const allowHost = input.allow_host === true;
    checkHost(url, "<url>", allowHost);
    checkHost(state.replaceAll("{customer}", "ada"), "--state", allowHost);
    if (!state.includes("{customer}")) {
      throw new UsageError(`Cannot use ${JSON.stringify(state)} for --state: it has no {customer}`);
    }
    const secret = findSecret(context, input.secret, true);
    if (secret === undefined) {
      throw new UsageError("Cannot sign deliveries: no signing secret is given", {
        hint: "Set CLI_WEBHOOK_SECRET to the secret that the handler checks, or pass --secret.",
      });
    }
    const entitlement = keysOf(path).at(-1) ?? "pro";
    const { searchFaults } = await import("../../scenario/verify/search.ts");
    const { createStages } = await import("../scenario/stocked.ts");
    const stages = createStages(context);
    const search = await searchFaults({
      runs,
      faults,
      seed,
      entitlement,
      handler: openHandler(context, { url, state, path, secret, allowHost }),
      open: stages.open,
      // The handler may remember the customers of the last search.
      prefix: `v${context.around.now().toString(36)}`,
      signal: context.signal,
    }).finally(stages.close);
    const command = [
      ...[MARK.slice("# Found with: ".length), addressWord(url)],
      ...["--state", addressWord(state), "--path", shellWord(path)],
      ...[`--seed ${seed} --runs ${runs}`, ...allowHost ? ["--allow-host"] : []],
    ].join(" ");
    const again = `--webhook ${addressWord(url)}${allowHost ? " --allow-host" : ""}`;
    await show(context, search, { state, path, command, again, save, seed });
  },
});

/** An address, quoted for a shell, on one line. Line ends mean nothing in an address. */
function addressWord(url: string): string {
  return shellWord(visible(url.replace(/[\t\r\n]/g, "")));
}

/** How to show what came of a search. */
interface Shown {
  /** The address of a customer's state. */
  readonly state: string;
  /** The path in its answer. */
  readonly path: string;
  /** The command that was run. */
  readonly command: string;
  /** The flags with which a scenario runs again. */
  readonly again: string;
  /** Where the scenario goes. */
  readonly save: string;
  /** What the lives were drawn by. */
  readonly seed: number;
}

/** A fault, as it is shown. */
interface ShownFault {
  /** The kind of fault. */
  readonly kind: string;
  /** The fault in one sentence. */
  readonly sentence: string;
  /** What is wrong. */
  readonly message: string;
  /** The deliveries, one line each. */
  readonly deliveries: readonly string[];
  /** The scenario that reproduces it; null where it was not written. */
  readonly scenario: string | null;
}

/** Shows what came of a search; throws when there is a fault. */
async function show(context: Context, search: Search, shown: Shown): Promise<void> {
  const { out } = context;
  const { found, lives, coverage, broken } = search;
  const faults: ShownFault[] = [];
  for (const [i, one] of found.entries()) faults.push(await saveFault(one, shown, i));
  const [first] = faults;
  if (out.format === "json") {
    out.json(JSON.stringify({
      object: "verification",
      seed: shown.seed,
      histories: lives,
      fault: first ?? null,
      faults,
      coverage: rowsOf(coverage),
    }));
  } else {
    for (const { sentence, deliveries, message } of faults) {
      [sentence, ...[...deliveries, message].map((line) => `  ${line}`)]
        .forEach((line) => out.text(visible(line)));
    }
    out.table(rowsOf(coverage), [
      { header: "type", value: (row) => row.type },
      { header: "situation", value: (row) => row.situation },
      { header: "count", value: (row) => row.count },
    ], { title: "Deliveries" });
  }
  if (broken !== undefined) {
    const why = broken instanceof Error ? broken.message : String(broken);
    const cause = broken instanceof Cancelled ? "" : ` ${why}`;
    out.warn(`The search stopped early, so a fault may need less than is shown.${cause}`);
  }
  if (!first) {
    return out.done(`${counted(lives, "history", "histories")} passed, seed ${shown.seed}`);
  }
  const count = faults.length === 1 ? "a fault" : counted(faults.length, "fault");
  const files = faults.flatMap(({ scenario }) => scenario ?? []);
  throw new ToolkitError(
    `Cannot pass: the handler has ${count}, the first found in history ${lives}`,
    {
      hint: files.length < faults.length
        ? `${shown.save} is another file; choose one for the scenario with --save`
        : `Run it again: cli scenario run ${
          files.map((file) => shellWord(file)).join(" ")
        } ${shown.again}`,
    },
  );
}

/** Writes the scenario of a fault, the later ones under numbered names. */
async function saveFault(found: Found, shown: Shown, i: number): Promise<ShownFault> {
  const { tellFault, tellParcels, scenarioOf } = await import("../../scenario/verify/tell.ts");
  const path = i === 0 ? shown.save : shown.save.replace(/(\.[^./\\]*)?$/, `-${i + 1}$1`);
  const { kind, message } = found.complaint;
  return {
    kind,
    sentence: tellFault(found),
    message,
    deliveries: tellParcels(found),
    scenario: await saveScenario(path, scenarioOf(found, shown)) ?? null,
  };
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
