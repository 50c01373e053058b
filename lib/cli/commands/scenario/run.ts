/**
 * `cli scenario run`: plays scenario files and checks what they expect.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { NetworkError, ToolkitError, UsageError } from "../../../errors.ts";
import { failuresOf, type Outcome } from "../../../scenario/run/outcome.ts";
import type { Context } from "../../context.ts";
import { writeFile } from "../../data/write_file.ts";
import { parseCount, parsePairs } from "../../input/input.ts";
import { findScenarios, readScenario, type ScenarioFile } from "../../scenario/files.ts";
import { copyStartData, findStartData } from "../../scenario/start_data.ts";
import { findSecret } from "../../scenario/secret.ts";
import { checkHost, isHere } from "../../scenario/hosts.ts";
import { type Played, playedJson, showPlayed } from "../../scenario/report.ts";
import { counted } from "../../screen/display.ts";
import { command, manyArguments, parsed, text, texts, toggle } from "../../words/command.ts";

/** The most scenarios that run side by side. */
const MOST_PARALLEL = 64;

/** Plays scenario files. */
export const run = command({
  brief: "Run scenario files and check what they expect",
  details:
    "Each file runs on a service of its own in memory, so no running service is needed and none is " +
    "changed. The same file and seed give the same ids and events. A folder stands for its .yaml " +
    "files. Exit code 1: an expectation does not hold; 2: a file has a mistake; 8: the webhook " +
    "takes no connections.",
  examples: [
    "cli scenario run scenarios",
    "cli scenario run scenarios --webhook http://localhost:3000/hook",
    "cli scenario run scenarios/*.yaml --parallel 4 --junit junit.xml",
    "cli scenario run refund.yaml --var PRICE=9.99 --update",
  ],
  args: { files: manyArguments("Scenario files, or folders with them") },
  flags: {
    webhook: text("Deliver the events to this address", { placeholder: "url" }),
    secret: text("Sign deliveries with it (default: CLI_WEBHOOK_SECRET)", { placeholder: "whsec" }),
    junit: text("Write a JUnit file", { placeholder: "file" }),
    parallel: parsed(
      "How many files run side by side (default: 1)",
      (value) => parseCount(value, "--parallel", { min: 1, max: MOST_PARALLEL }),
      { placeholder: "n" },
    ),
    seed: parsed(
      "What the ids are made of (default: 1)",
      (value) => parseCount(value, "--seed", { min: 0 }),
      { placeholder: "n" },
    ),
    update: toggle("Write what happened into the files, where an exact value was expected"),
    var: texts("A value for ${NAME} in the files", { placeholder: "name=value" }),
    allow_host: toggle("Let webhooks and handlers be on other machines"),
  },
  async run(context, input) {
    const { seed = 1, parallel = 1, webhook, junit } = input;
    const allowHost = input.allow_host === true;
    if (webhook !== undefined) checkHost(webhook, "--webhook", allowHost);
    const vars = Object.fromEntries(parsePairs(input.var, "--var"));
    const paths = await findScenarios(input.files);
    if (junit !== undefined) await checkJunit(junit, paths);
    const files: ScenarioFile[] = [];
    for (const path of paths) {
      const read = await readScenario(
        path,
        vars,
        (folder, from) => findStartData(context, folder, from),
      );
      files.push(checkedHosts(read, webhook, allowHost));
    }
    const delivers = webhook !== undefined ||
      files.some(({ scenario }) => scenario?.start.webhook?.url !== undefined);
    const secret = findSecret(context, input.secret, delivers);
    const options = { seed, vars, webhook, secret, allowHost };
    const played = await playAll(context, files, parallel, options);
    if (input.update) await update(context, played);
    if (junit !== undefined) await writeJunit(junit, played);
    const { out } = context;
    if (out.format === "json") out.json(playedJson(played, seed));
    else played.forEach((one) => showPlayed(out, one));
    conclude(context, played, input.update === true);
  },
});

/** How to play files. */
interface PlayOptions {
  /** What the ids are made of. */
  readonly seed: number;
  /** The values of `${NAME}`. */
  readonly vars: Readonly<Record<string, string>>;
  /** Where events are delivered, whatever the files say. */
  readonly webhook: string | undefined;
  /** What deliveries are signed with, whatever the files say. */
  readonly secret: string | undefined;
  /** Whether other machines may be reached. */
  readonly allowHost: boolean;
}

/** Adds a problem to a file that delivers to another machine. */
function checkedHosts(
  file: ScenarioFile,
  webhook: string | undefined,
  allowHost: boolean,
): ScenarioFile {
  const url = file.scenario?.start.webhook?.url;
  if (url === undefined || webhook !== undefined || allowHost || isHere(url)) return file;
  const message = `the webhook ${JSON.stringify(url)} is not on this machine`;
  const problem = { line: 1, column: 1, message, hint: "Pass --allow-host to reach it." };
  return { ...file, scenario: undefined, problems: [problem] };
}

/**
 * Plays all files, so many side by side, and keeps their order.
 *
 * @throws {NetworkError} when the first finds that nothing takes the events of all of them.
 */
async function playAll(
  context: Context,
  files: readonly ScenarioFile[],
  parallel: number,
  options: PlayOptions,
): Promise<Played[]> {
  const played: Played[] = new Array(files.length);
  let next = 0;
  let reached = options.webhook === undefined;
  let down: string | undefined;
  const work = async () => {
    for (let i = next++; i < files.length && down === undefined; i = next++) {
      const file = files[i];
      if (!file) continue;
      const outcome = await play(context, file, options);
      played[i] = { file, outcome };
      if (!reached) down ??= outcome?.unreached;
      reached ||= outcome !== undefined && outcome.unreached === undefined;
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallel, files.length) }, work));
  if (down !== undefined) throw unreachedError(counted(files.length, "scenario"), down);
  return played;
}

/** Plays one file on a service of its own. */
async function play(
  context: Context,
  { file, text, scenario }: ScenarioFile,
  { seed, vars, webhook, secret, allowHost }: PlayOptions,
): Promise<Outcome | undefined> {
  if (!scenario) return undefined;
  const { openStage } = await import("../../scenario/stage.ts");
  const { runScenario } = await import("../../../scenario/run/run.ts");
  const { start } = scenario;
  const copy = start.data && await copyStartData(start.data);
  try {
    const stage = await openStage(context, {
      at: start.at,
      database: copy?.database,
      seed: `${seed}/${text}`,
      delivers: (webhook ?? start.webhook?.url) !== undefined,
      allowHost,
    });
    try {
      return await runScenario(scenario, {
        stage,
        file,
        vars,
        webhook,
        secret,
        digest: (told) => createHash("sha256").update(told).digest("hex"),
      });
    } finally {
      await stage.close();
    }
  } finally {
    await copy?.remove();
  }
}

/** Writes what happened into the files. */
async function update({ out }: Context, played: readonly Played[]): Promise<void> {
  const { updateText } = await import("../../../scenario/file/update.ts");
  for (const { file, outcome } of played) {
    const updates = outcome ? failuresOf(outcome).flatMap(({ update }) => update ?? []) : [];
    if (updates.length === 0) continue;
    const text = await updateText(file.text, updates);
    if (text === file.text) continue;
    await writeFile(file.file, text);
    out.done(`Wrote ${counted(updates.length, "expectation")} into ${file.file}`);
  }
}

/**
 * Makes sure that the JUnit file takes the place of no scenario.
 *
 * @throws {UsageError} when it is one of the files, also through a link.
 */
async function checkJunit(junit: string, paths: readonly string[]): Promise<void> {
  const real = (path: string) => Deno.realPath(path).catch(() => undefined);
  const there = await real(junit);
  if (there === undefined) return;
  for (const path of paths) {
    if (await real(path) !== there) continue;
    throw new UsageError(
      `Cannot use ${JSON.stringify(junit)} for --junit: it is one of the scenario files`,
      { hint: "Choose another file, such as junit.xml." },
    );
  }
}

/** Writes the JUnit file. */
async function writeJunit(path: string, played: readonly Played[]): Promise<void> {
  const { junitText } = await import("../../../scenario/run/junit.ts");
  const outcomes = played.flatMap(({ outcome }) => outcome ?? []);
  const wrong = played.flatMap(({ file, outcome }) => outcome ? [] : [file]);
  await writeFile(path, junitText(outcomes, wrong));
}

/** Ends with the exit code that the outcomes ask for. */
function conclude({ out }: Context, played: readonly Played[], updated: boolean): void {
  const wrong = played.filter(({ outcome }) => !outcome);
  const failed = played.filter(({ outcome }) => outcome && failuresOf(outcome).length > 0);
  const all = counted(played.length, "scenario");
  if (wrong.length > 0) throw cannotRun(wrong.map(({ file }) => file), all);
  if (failed.length === 0) return out.done(`${all} passed`);
  const unreached = new Set(failed.map(({ outcome }) => outcome?.unreached));
  const [why] = unreached;
  if (unreached.size === 1 && why !== undefined) {
    throw unreachedError(`${failed.length} of ${all}`, why);
  }
  const count = failed.reduce(
    (sum, one) => sum + (one.outcome ? failuresOf(one.outcome).length : 0),
    0,
  );
  throw new ToolkitError(
    `Cannot pass ${failed.length} of ${all}: ${counted(count, "expectation")} did not hold`,
    {
      hint: updated
        ? "Look at what changed in the files, then run them again."
        : "Correct the handler or the files. To write what happened into the files: --update",
    },
  );
}

/** The error for scenarios that were not played, since nothing takes their events. */
function unreachedError(which: string, why: string): NetworkError {
  return new NetworkError(`Cannot run ${which}: ${why}`, {
    hint: "Start the webhook handler first, or correct the address.",
  });
}

/** The error for files that cannot be read, or are wrong. */
function cannotRun(files: readonly ScenarioFile[], all: string): UsageError {
  const unread = files.filter((file) => file.unread === true).length;
  const noun = files.length === 1 ? "file" : "files";
  const be = files.length === 1 ? "is" : "are";
  const why = unread === files.length
    ? "cannot be read"
    : unread === 0
    ? `${be} wrong`
    : "are wrong or cannot be read";
  return new UsageError(`Cannot run ${files.length} of ${all}: the ${noun} ${why}`, {
    hint: unread === files.length
      ? "Check the path. To write scenario files: cli scenario init"
      : "See docs/scenarios.md, or let an editor help with: cli scenario schema",
  });
}
