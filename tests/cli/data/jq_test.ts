import { deepEqual, equal, match, ok } from "node:assert/strict";
import { loadProgram } from "../../../lib/cli/data/jq.ts";
import { openDesk } from "../../support/harness.ts";

const FOLDER = new URL("./", import.meta.url);
const INPUT = await Deno.readTextFile(new URL("jq_input.json", FOLDER));

/** A program with its flags, and the output of jq 1.8.2 of Debian. */
interface Sample {
  /** The program. */
  program: string;
  /** `r` for raw strings, `c` for one line per result. */
  flags: string;
  /** The output of jq. */
  out: string;
  /** Whether jq has failed. */
  failed: boolean;
}

/** Runs the programs with the jq on PATH, to renew the results. */
async function remake(samples: Sample[]): Promise<Sample[]> {
  return await Promise.all(samples.map(async ({ program, flags }) => {
    const path = new URL("jq_input.json", FOLDER).pathname;
    const args = [...[...flags].map((flag) => `-${flag}`), "--", program, path];
    const { code, stdout } = await new Deno.Command("jq", { args }).output();
    return { program, flags, out: new TextDecoder().decode(stdout), failed: code !== 0 };
  }));
}

Deno.test("77 jq programs print the same bytes as jq itself", async () => {
  const file = new URL("jq_samples.json", FOLDER);
  const samples: Sample[] = JSON.parse(await Deno.readTextFile(file));
  if (Deno.env.get("UPDATE_GOLDEN") === "jq") {
    const made = await remake(samples);
    return await Deno.writeTextFile(file, `${JSON.stringify(made, null, 2)}\n`);
  }
  ok(samples.length >= 60);
  const options = { stoppable: <T>(work: () => T) => work() };
  for (const { program, flags, out, failed } of samples) {
    const raw = flags.includes("r");
    const run = await loadProgram(program, { raw, compact: flags.includes("c"), ...options });
    const { text, error } = run(INPUT);
    deepEqual({ program, out: text, failed: error !== undefined }, { program, out, failed });
  }
});

Deno.test("--jq prints the program's results for the answer, with -r without quotes", async () => {
  await using desk = await openDesk();
  const keys = await desk.run("offerings", "list", "--jq", ".items[].lookup_key", "-r");
  deepEqual([keys.code, keys.out, keys.err], [0, "default\nwinter_sale\n", ""]);
  const rows = await desk.run("offerings", "list", "--output", "ndjson", "--jq", "{lookup_key}");
  equal(rows.out, '{"lookup_key":"default"}\n{"lookup_key":"winter_sale"}\n');
  const some = await desk.run("offerings", "list", "--fields", "id", "--jq", ".items[0] | keys");
  equal(some.out, '[\n  "id"\n]\n');
});

Deno.test("an invalid jq program is refused before any request", async () => {
  await using desk = await openDesk();
  const words = ["offerings", "create", "--id", "x", "--display-name", "X"];
  const { code, out, err } = await desk.run(...words, "--jq", ".items[.");
  deepEqual([code, out, desk.sent], [2, "", []]);
  match(err, /^Cannot use the jq program: syntax error, unexpected end of file/);
});

Deno.test("a failing jq program prints its earlier results and the reason", async () => {
  await using desk = await openDesk();
  const words = ["offerings", "list", "--jq", ".items[0].lookup_key, .url.x"];
  const { code, out, err } = await desk.run(...words);
  deepEqual([code, out], [1, '"default"\n']);
  match(err, /^Cannot run the jq program: Cannot index string with string \("x"\)\n/);
});

Deno.test("jq's own standard error goes to standard error", async () => {
  await using desk = await openDesk();
  const { code, out, err } = await desk.run("projects", "view", "--jq", "debug | .object");
  deepEqual([code, out], [0, '"project"\n']);
  match(err, /^Warning: \["DEBUG:",\{"object":"project"/);
});

Deno.test("-r prints strings with any characters, like jq", async () => {
  const run = await loadProgram('.[], [.[1]], {"a": .[2]}', {
    raw: true,
    compact: false,
    stoppable: <T>(work: () => T) => work(),
  });
  const texts = ["a\u0000b", " space ", '"quoted"', "two\nlines\n", "\u007f é \u2028", ""];
  const { text, error } = run(JSON.stringify(texts));
  equal(error, undefined);
  equal(text, `${texts.join("\n")}\n[\n  " space "\n]\n{\n  "a": "\\"quoted\\""\n}\n`);
});

Deno.test("a jq program sees no variable of any environment", async () => {
  await using desk = await openDesk();
  for (const program of ["$ENV", "env", "def f: env; f", ". as $environment | $ENV"]) {
    const { code, out } = await desk.run("projects", "view", "--jq", program);
    deepEqual([code, out], [0, "{}\n"], program);
  }
  const words = ["projects", "view", "--jq", "[$ENV.PATH, env.CLI_REFRESH_TOKEN, .object]"];
  deepEqual((await desk.run(...words)).json(), [null, null, "project"]);
});

Deno.test("the complaints of jq have no ends without a meaning", async () => {
  const options = { raw: false, compact: true, stoppable: <T>(work: () => T) => work() };
  const complaintAbout = async (program: string) => {
    try {
      return (await loadProgram(program, options))("{}").error?.message;
    } catch (error) {
      return error instanceof Error ? error.message : undefined;
    }
  };
  equal(
    await complaintAbout(".a b"),
    "Cannot use the jq program: syntax error, unexpected IDENT, expecting end of file at line 1, " +
      "column 4",
  );
  equal(
    await complaintAbout("$a"),
    "Cannot use the jq program: $a is not defined at line 1, column 1",
  );
  equal(await complaintAbout("error"), "Cannot run the jq program: {}");
  equal(await complaintAbout('"a:" | error'), "Cannot run the jq program: a:");
});
