import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import * as listRows from "../../lib/cli/data/list_rows.ts";
import { type Command, type Group } from "../../lib/cli/words/command.ts";
import { loadFor } from "../../lib/cli/commands/mod.ts";
import { findEntry, isGroup } from "../../lib/cli/words/find_entry.ts";
import { operations } from "../../lib/service/routes/mod.ts";
import { ABSENT } from "../../scripts/docs/absent.ts";
import { listRowsText } from "../../scripts/docs/list_rows.ts";
import { LINES, OTHER_COMMANDS, OTHER_GROUPS, OTHER_LINES } from "../../scripts/docs/lines.ts";
import { SUPPORT_FILE, supportText } from "../../scripts/docs/main.ts";
import { renderSupport } from "../../scripts/docs/support.ts";
import { openDesk } from "../support/harness.ts";
import rows from "../operations.json" with { type: "json" };

/** The rows of the tables under "## " headings: cells by the name of the library's function. */
function rowsOf(page: string): Map<string, string[]> {
  const lines = page.split("\n").filter((line) => line.startsWith("| `"));
  const cells = lines.map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
  const own = cells.filter(({ length }) => length === 5);
  return new Map(own.map((row) => [row[2]?.replaceAll("`", "") ?? "", row]));
}

const PERMISSIONS = /^`\w+:\w+:\w+`(, `\w+:\w+:\w+`)*$/;

Deno.test("docs/support.md matches the contracts, the library and the commands", async () => {
  const written = (await Deno.readTextFile(SUPPORT_FILE)).replaceAll("\r\n", "\n");
  const expected = await supportText();
  ok(written === expected, "docs/support.md is out of date: run `deno task docs`");
  const found = rowsOf(written);
  deepEqual([...found.keys()].sort(), rows.map(([name]) => name).sort());
  for (const [name = "", method, path = ""] of rows) {
    const [place = "", summary, , commands = "", permission = ""] = found.get(name) ?? [];
    // Only the names of values may differ from the API document's; the common prefix is left out.
    const nameless = (text: string) =>
      text.replace(/^\/projects\/\{\w+\}(?=\/)/, "").replace(/\{\w+\}/g, "{}");
    match(nameless(place), new RegExp(`^\`${method} .*${RegExp.escape(nameless(path))}\`$`), name);
    match(summary ?? "", /^[A-Z].*\.$/, name);
    // Of the SDKs' operations, only the offerings have a command.
    const isForApps = /^\/(v1|rcbilling)\//.test(path);
    const ownCommand = !isForApps || name === "getSdkOfferings";
    match(commands, ownCommand ? /^`[a-z]/ : /^$/, `${name} has no command: scripts/docs/lines.ts`);
    match(permission, isForApps ? /^a public SDK key$/ : PERMISSIONS, name);
  }
});

Deno.test("every command of a resource is run to find its requests", async () => {
  const root = await loadFor([]);
  const known = [...OTHER_COMMANDS, ...LINES.map((line) => commandIn(root, line))];
  const groups = Object.entries(root.commands).filter(([name]) => !OTHER_GROUPS.has(name));
  const all = groups.flatMap(([name, entry]) => commandsIn([name], entry));
  deepEqual([...new Set(known)].sort(), all.toSorted());
});

Deno.test("the page lists other requests of a command", async () => {
  const root = await loadFor([]);
  for (const line of OTHER_LINES) ok(OTHER_GROUPS.has(commandIn(root, line).split(" ")[0] ?? ""));
  const found = rowsOf((await Deno.readTextFile(SUPPORT_FILE)).replaceAll("\r\n", "\n"));
  for (
    const [name, command] of [
      ["listProducts", "subscribers info"],
      ["listProducts", "subscribers revoke"],
      ["listApps", "offerings preview"],
      ["getOffering", "offerings preview"],
      ["listCustomerPurchases", "subscribers transfer"],
      ["listProjects", "doctor"],
      ["listProjects", "auth status"],
    ] as const
  ) {
    ok(found.get(name)?.[3]?.includes(`\`${command}\``), `${name}: ${command}`);
  }
});

function commandIn(root: Group, line: string): string {
  return findEntry(root, line.split(" ")).names.join(" ");
}

function commandsIn(names: string[], entry: Command | Group): string[] {
  if (!isGroup(entry)) return [names.join(" ")];
  return Object.entries(entry.commands).flatMap(([name, inner]) =>
    commandsIn([...names, name], inner)
  );
}

Deno.test("the excluded operations of docs/support.md have the listed answers", async () => {
  await using desk = await openDesk();
  const root = `/v2/projects/${desk.projectId}`;
  for (const { method, path, status } of ABSENT) {
    const filled = path.replace("/v2/projects/{project_id}", root).replace("{id}", "ada");
    const address = filled.startsWith(root) ? filled : root + filled;
    const response = await desk.send(method, address, method === "GET" ? undefined : {});
    equal(response.status, status, `${method} ${path}`);
  }
});

Deno.test("no page is written if an operation has no function in the library", () => {
  throws(() => renderSupport(operations, new Map(), []), /listProjects: mod\.ts exports no such/);
});

Deno.test("the rows of lists match the service's documents", async () => {
  const made = await import(`data:text/typescript,${encodeURIComponent(await listRowsText())}`);
  // Not the text of the file: faults are tried with more text in it.
  const isSame = isDeepStrictEqual({ ...made }, { ...listRows });
  ok(isSame, "lib/cli/data/list_rows.ts is out of date: run `deno task docs`");
});
