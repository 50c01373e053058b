import { equal, match } from "node:assert/strict";
import { openDesk } from "../../../support/harness.ts";

/** A service whose administrator uses the command line, and a folder. */
async function open() {
  const desk = await openDesk();
  desk.env.CLI_SERVICE_ADMIN_SECRET = desk.service.adminSecret;
  const path = await Deno.makeTempDir();
  const must = async (...words: string[]) => {
    const ran = await desk.run(...words);
    equal(ran.code, 0, ran.err);
    return ran;
  };
  return {
    path,
    run: desk.run,
    must,
    async [Symbol.asyncDispose]() {
      await desk[Symbol.asyncDispose]();
      await Deno.remove(path, { recursive: true });
    },
  };
}

Deno.test("scenario record writes a file that scenario run passes, and replaces none", async () => {
  await using desk = await open();
  await desk.must("simulate", "purchase", "eve", "notes.pro.monthly");
  await desk.must("clock", "advance", "P2M");
  const file = `${desk.path}/inner/eve.yaml`;
  const { err } = await desk.must("scenario", "record", "eve", file);
  match(err, /Recorded 3 events of eve in \d steps/);
  match(err, /Run it: cli scenario run .*eve\.yaml/);
  const text = await Deno.readTextFile(file);
  match(text, /- purchase: \{ customer: eve, product: notes\.pro\.monthly \}/);
  await desk.must("scenario", "run", file);
  await Deno.writeTextFile(file, "mine");
  const again = await desk.run("scenario", "record", "eve", file);
  equal(again.code, 2);
  match(again.err, /Cannot write ".*eve\.yaml": the file exists[\s\S]*--force/);
  equal(await Deno.readTextFile(file), "mine");
  await desk.must("scenario", "record", "eve", file, "--force");
  equal(await Deno.readTextFile(file), text);
});

Deno.test("scenario record prints the file, and as JSON what is in it", async () => {
  await using desk = await open();
  await desk.must("simulate", "purchase", "ada", "notes.pro.monthly");
  const printed = await desk.must("scenario", "record", "ada");
  match(printed.out, /^# yaml-language-server/);
  match(printed.out, /access: \{ ada: \[pro\] \}\n$/);
  const told = (await desk.must("scenario", "record", "ada", "-", "--output", "json")).json();
  const { object, events, notes, text } = told as Record<string, unknown>;
  equal(object, "scenario_recording");
  equal(events, 1);
  equal(JSON.stringify(notes), "[]");
  equal(`${text}`, printed.out);
});

Deno.test("what cannot be recorded is a comment in the file, and on standard error", async () => {
  await using desk = await open();
  await desk.must("simulate", "purchase", "ada", "notes.pro.monthly");
  await desk.must("simulate", "faults", "add", "--path", "/v2/none", "--status", "503");
  await desk.must("subscribers", "attributes", "ada", "--set", "plan=${HOME}", "--set", "note=ok");
  const { out, err } = await desk.must("scenario", "record", "ada");
  for (const text of [out, err]) {
    match(text, /Not recorded: faults of requests that are set/);
  }
  match(out, /attributes: \{ customer: ada, set: \{ note: ok, plan: "\$\$\{HOME\}" \} \}/);
});

Deno.test("a customer that the service does not know cannot be recorded", async () => {
  await using desk = await open();
  const { code, err } = await desk.run("scenario", "record", "nobody");
  equal(code, 5);
  match(err, /nobody/);
});
