import { deepEqual, equal, match, ok } from "node:assert/strict";
import { loadFor } from "../../../lib/cli/commands/mod.ts";
import { manPages } from "../../../lib/cli/words/man.ts";
import { outlineOf } from "../../../lib/cli/words/outline.ts";
import { matchGolden } from "../../support/golden.ts";
import { openDesk } from "../../support/harness.ts";

Deno.test("cli commands shows every command with its arguments, flags, choices and effect", async () => {
  await using desk = await openDesk();
  const { json } = await desk.run("commands", "--output", "json");
  const outline = json() as ReturnType<typeof outlineOf>;
  ok(outline.commands.length > 130, String(outline.commands.length));
  const named = (name: string) => outline.commands.find(({ path }) => path.join(" ") === name);
  equal(named("offerings list")?.effect, "reads");
  equal(named("subscriptions refund")?.effect, "writes");
  equal(named("offerings view")?.usage, "cli offerings view <id> [flags]");
  deepEqual(
    named("charts get")?.flags.find(({ name }) => name === "--period")?.choices?.includes("day"),
    true,
  );
  deepEqual(outline.global_flags[0]?.choices, ["table", "json", "csv", "ndjson"]);
  ok(
    outline.groups.some(({ path, aliases }) =>
      path.join() === "subscribers" && aliases.includes("customers")
    ),
  );
  deepEqual(desk.sent, []);
  const { out } = await desk.run("commands");
  match(out, /^COMMAND +EFFECT +BRIEF\nauth login +writes +/);
});

Deno.test("man pages are what somebody has looked at", async () => {
  const pages = manPages(outlineOf(await loadFor([])));
  const wanted = ["cli.1", "cli-offerings.1", "cli-api.1"];
  const shown = pages.filter(({ file }) => wanted.includes(file));
  equal(shown.length, wanted.length);
  const text = shown.map(({ file, text }) => `==> ${file} <==\n${text}`).join("\n");
  await matchGolden("man", text);
});

Deno.test("mandoc finds no fault in the man pages", async (t) => {
  const found = await new Deno.Command("sh", { args: ["-c", "command -v mandoc"] }).output();
  if (!found.success) {
    console.warn("skipped: mandoc is not installed");
    return;
  }
  const folder = await Deno.makeTempDir();
  try {
    await using desk = await openDesk();
    const { err } = await desk.run("commands", "--man", `${folder}/man1`);
    match(err, /^Wrote \d+ man pages to /);
    await t.step("every page", async () => {
      const args = ["-c", "mandoc -T lint -W warning *.1"];
      const { stdout } = await new Deno.Command("sh", { args, cwd: `${folder}/man1` }).output();
      const faults = new TextDecoder().decode(stdout).split("\n")
        // The pages have no date, so that the same program has the same pages.
        .filter((line) => line !== "" && !line.includes("missing date"));
      deepEqual(faults, []);
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
