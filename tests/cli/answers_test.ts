import { deepEqual, doesNotMatch, fail, match, ok } from "node:assert/strict";
import { isJson } from "../../lib/json_text.ts";
import { changedAnswers } from "../support/changed_answers.ts";
import {
  type Answer,
  type RecordedLine,
  recordLines,
  type Shown,
} from "../support/recorded_lines.ts";

/**
 * Fields that a command cannot do without, since the public document requires them and the command
 * goes on with their values. They must be missed with an error that says so.
 */
const NEEDED: readonly RegExp[] = [
  // A list is its items.
  /\| items( |$)/,
  // Without the id there is no path to go on with.
  /^(packages list|offerings preview) \| items\[\]\.id /,
  /^publish offering \| id /,
  /^subscribers revoke \| id /,
  // The app is chosen by its type, and read with its key.
  /^offerings preview \| items\[\]\.(type|key) /,
  /^offerings preview \| (offerings|offerings\[\]\.identifier|lookup_key) /,
];

/** Whether every change is tried, and every how many-th otherwise, beginning at random. */
const ALL = Deno.env.has("LONG_TESTS");
const EVERY = 16;
const TURN = Math.floor(Math.random() * EVERY);

/** Recorded once, for all tests. */
const recording = recordLines();

/** Texts that must never appear in place of a value. */
const NO_VALUE = /\bundefined\b|\bnull\b|\bNaN\b|\[object |This is a bug/i;

/** The fault in a line's output for a changed answer; undefined without one. */
function faultOf({ code, out, err }: Shown, output: string, needed: boolean): string | undefined {
  // A check names the fault, and fails.
  if (needed && code !== 0 && /Check that CLI_BASE_URL/.test(out + err)) return undefined;
  // Values without a name are shown as JSON, and errors are JSON on request.
  const words = (output === "table" ? out + err : err).replaceAll(/:null\b/g, "");
  const [wrong] = NO_VALUE.exec(words) ?? [];
  if (wrong !== undefined) return `shows ${JSON.stringify(wrong)}: ${words.slice(0, 300)}`;
  if (code === 0) return output === "json" && !isJson(out) ? "is not JSON" : undefined;
  return needed && code !== 1 ? undefined : `ends with ${code}: ${err}`;
}

/** The answers of a line that come from an operation of the API. */
function operationsIn({ answers }: RecordedLine): [number, Answer][] {
  return answers.flatMap((answer, i): [number, Answer][] =>
    // A redirect has the address of a file in a header, not in a field.
    answer.status < 300 && answer.text.startsWith("{") && / \/v[12]\//.test(answer.request)
      ? [[i, answer]]
      : []
  );
}

Deno.test("every command accepts every answer with missing or extra fields", async () => {
  const { lines, replay } = await recording;
  const faults: string[] = [];
  let runs = 0;
  for (const recorded of lines) {
    const command = recorded.line.split(" ").slice(0, 2).join(" ");
    for (const output of ["table", "json"]) {
      const plot = command === "charts get" && output === "table" ? ["--plot"] : [];
      const words = [...recorded.words, ...plot, "--output", output];
      for (const [i, answer] of operationsIn(recorded)) {
        for (const [at, { place, change, text }] of changedAnswers(answer.text).entries()) {
          // The nightly run tries all.
          if (!ALL && at % EVERY !== TURN) continue;
          // JSON of a single answer is printed as received, so nulls of whole fields suffice.
          if (output === "json" && recorded.answers.length < 3) {
            if (change === "absent" || place.includes("[].")) continue;
          }
          const shown = await replay(words, recorded.answers.with(i, { ...answer, text }));
          const name = `${command} | ${place} ${change}`;
          const fault = faultOf(shown, output, NEEDED.some((one) => one.test(name)));
          if (fault !== undefined) faults.push(`${name} (${answer.request}), ${output}: ${fault}`);
          runs++;
        }
      }
    }
  }
  deepEqual(faults, []);
  // The lines still reach the answers: about 5,000 in all when this was written.
  ok(runs > (ALL ? 3400 : 3400 / EVERY), `only ${runs} runs`);
});

/** A line with one field left out of every answer. */
function lacking({ answers }: RecordedLine, place: string): Answer[] {
  return answers.map((answer) => {
    if (!answer.text.startsWith("{")) return answer;
    const changed = changedAnswers(answer.text).find((one) =>
      one.place === place && one.change === "absent"
    );
    return { ...answer, text: changed?.text ?? answer.text };
  });
}

Deno.test("a list shows - for a field that its items lack", async () => {
  const { lines, replay } = await recording;
  const line = lines.findLast((one) => one.line === "webhooks list");
  if (!line) fail("there is no such line");
  const { out } = await replay(line.words, lacking(line, "items[].event_types"));
  match(out, /^whintgr\w+ +New +http\S+ +- +-? *\d{4}-/m);
});

Deno.test("packages list names the offering of its --offering-id", async () => {
  const { lines, replay } = await recording;
  const line = lines.find((one) => one.line === "packages list");
  if (!line) fail("there is no such line");
  const { out } = await replay(line.words, lacking(line, "items[].offering_id"));
  match(out, /^default +0 /m);
  doesNotMatch(out, /^- /m);
});
