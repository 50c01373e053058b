import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { dirname, join } from "node:path";
import { formatCliToml, parseToml, readCliToml } from "../../lib/config/cli_toml.ts";
import { writePrivateText } from "../../lib/config/write_files.ts";
import { jsonFault } from "../../lib/config/json.ts";
import { readLocal, writeLocal } from "../../lib/config/local.ts";
import { resolveProject } from "../../lib/config/project.ts";
import { hasModes } from "../../lib/config/surroundings.ts";
import { ConfigError, UsageError } from "../../lib/errors.ts";
import {
  modeOf,
  profileNamed,
  putPrivate,
  type TestMachine,
  testMachine,
} from "../support/token_service.ts";

/** Binds the folder above the working folder by both files. */
async function bind(machine: TestMachine): Promise<{ local: string; toml: string }> {
  const folder = dirname(machine.cwd);
  const local = join(folder, ".cli", "config.json");
  const toml = join(folder, "cli.toml");
  await putPrivate(local, { project_id: "proj_local" });
  await Deno.writeTextFile(toml, 'project_id = "proj_toml"\n');
  return { local, toml };
}

Deno.test("the project comes from the option, the variable, the local file, cli.toml, in this order", async () => {
  await using machine = await testMachine();
  const { local, toml } = await bind(machine);
  const places = [
    { kind: "option", source: "--project-id", id: "proj_option" },
    { kind: "environment", source: "CLI_PROJECT_ID", id: "proj_env" },
    { kind: "local", source: local, id: "proj_local" },
    { kind: "toml", source: toml, id: "proj_toml" },
  ] as const;
  for (let present = 0; present < 16; present++) {
    const there = places.filter((_, i) => present & (1 << i));
    const has = (kind: string) => there.some((place) => place.kind === kind);
    if (has("environment")) machine.variables.CLI_PROJECT_ID = "proj_env";
    else delete machine.variables.CLI_PROJECT_ID;
    await putPrivate(local, has("local") ? { project_id: "proj_local" } : {});
    await Deno.writeTextFile(toml, has("toml") ? 'project_id = "proj_toml"' : "");
    const options = has("option") ? { projectId: "proj_option" } : {};
    const [first, ...shadows] = there;
    const expected = first && { ...first, shadows };
    deepStrictEqual(await resolveProject(machine, { ...options, withShadows: true }), expected);
    const plain = first && { ...first, shadows: [] };
    deepStrictEqual(await resolveProject(machine, options), plain);
  }
});

Deno.test("the nearest file of a kind counts, also from a folder below it", async () => {
  await using machine = await testMachine();
  await bind(machine);
  const top = join(machine.root, ".cli", "config.json");
  await putPrivate(top, { project_id: "proj_top" });
  strictEqual((await resolveProject(machine))?.id, "proj_local");
  machine.cwd = join(machine.root, "work");
  strictEqual((await resolveProject(machine))?.source, top);
});

Deno.test("the file of profiles never counts as a local file, by any path", async () => {
  await using machine = await testMachine();
  const folder = join(machine.home, "code");
  await Deno.mkdir(folder);
  await putPrivate(join(machine.home, ".cli", "config.json"), { project_id: "proj_home" });
  machine.cwd = folder;
  strictEqual(await resolveProject(machine), undefined);
  await putPrivate(join(machine.root, ".cli", "config.json"), { project_id: "proj_above" });
  strictEqual((await resolveProject(machine))?.id, "proj_above");
  if (Deno.build.os === "windows") return;
  const alias = join(machine.root, "alias");
  await Deno.symlink(machine.home, alias);
  machine.cwd = join(alias, "code");
  strictEqual((await resolveProject(machine))?.id, "proj_above");
  const other = { ...machine, home: alias, cwd: folder };
  strictEqual((await resolveProject(other))?.id, "proj_above");
});

Deno.test("a missing working folder, home folder or file is no error", async () => {
  await using machine = await testMachine();
  const nowhere = { ...machine, cwd: undefined, home: undefined };
  strictEqual(await resolveProject(nowhere, { withShadows: true }), undefined);
  strictEqual(await resolveProject(machine), undefined);
  await Deno.writeTextFile(join(machine.cwd, ".cli"), "a file, not a folder");
  strictEqual(await resolveProject(machine), undefined);
});

Deno.test("an empty variable is unset, white space around it is dropped, an empty option refused", async () => {
  await using machine = await testMachine();
  machine.variables.CLI_PROJECT_ID = " proj_1\n";
  strictEqual((await resolveProject(machine))?.id, "proj_1");
  for (const empty of ["", " \n"]) {
    machine.variables.CLI_PROJECT_ID = empty;
    strictEqual(await resolveProject(machine), undefined);
    await rejects(resolveProject(machine, { projectId: empty }), UsageError);
  }
});

Deno.test("a malformed file is an error with its position, unless it is shadowed", async () => {
  await using machine = await testMachine();
  const { local, toml } = await bind(machine);
  const faults: [file: string, text: string, message: RegExp, hint: RegExp][] = [
    [local, '{"project_id": }', /config\.json": it is not JSON at line 1, column 16$/, /^Correct/],
    [local, '{"project_id": 12}', /project_id must be a string: write "12" in quotes$/, /^Correct/],
    [local, '{"project_id": ""}', /project_id must not be empty$/, /^Correct/],
    [local, '{"apps": {}}', /apps must be a list$/, /^Correct/],
    [local, '{"apps": [{"id": "a"}, {"name": "b"}]}', /apps\[1\]\.id is missing$/, /^Correct/],
    [toml, "# x\nproject_id = proj1\n", /invalid value at line 2, column 14$/, /need quotes/],
    [toml, "project_id = 12\n", /project_id must be a string: write "12" in quotes$/, /proj…/],
    [toml, "project_id = true\n", /project_id must be a string$/, /proj…/],
    [toml, 'project_id = "a"\nproject_id = "b"\n', /line 2/, /^Correct/],
    [toml, 'project_id = "a"\n[apps]\nid = "x"\n', /apps must be a list$/, /^Correct/],
  ];
  for (const [file, text, message, hint] of faults) {
    await putPrivate(local, "{}");
    await Deno.writeTextFile(toml, "");
    await Deno.writeTextFile(file, text);
    await rejects(resolveProject(machine), (error) => {
      ok(error instanceof ConfigError, text);
      ok(error.message.includes(JSON.stringify(file)));
      match(error.message, message);
      match(error.hint ?? "", hint);
      return true;
    });
    const found = await resolveProject(machine, { projectId: "proj_1", withShadows: true });
    strictEqual(found?.id, "proj_1");
  }
});

Deno.test("a local file that others can read is refused", {
  ignore: Deno.build.os === "windows",
}, async () => {
  await using machine = await testMachine();
  const { local } = await bind(machine);
  await Deno.chmod(local, 0o644);
  await rejects(resolveProject(machine), { name: "ConfigError", hint: `Run: chmod 600 ${local}` });
});

Deno.test("writing a local file keeps its other content and removes undefined fields", async () => {
  await using machine = await testMachine();
  const folder = machine.cwd;
  const { name: _, ...token } = profileNamed("x");
  const apps = [{ id: "app1", name: "One" }];
  await writeLocal(machine, folder, { project_id: "proj_1", apps, profile: token });
  const path = join(folder, ".cli", "config.json");
  const content = JSON.parse(await Deno.readTextFile(path));
  deepStrictEqual(content, { project_id: "proj_1", apps, profile: token });
  await putPrivate(path, { ...content, extra: 1 });
  await writeLocal(machine, folder, { project_id: "proj_2", profile: undefined });
  const later = JSON.parse(await Deno.readTextFile(path));
  deepStrictEqual(later, { project_id: "proj_2", apps, extra: 1 });
  const read = await readLocal(machine);
  deepStrictEqual([read?.path, read?.project_id, read?.profile], [path, "proj_2", undefined]);
  if (Deno.build.os === "windows") return;
  deepStrictEqual([await modeOf(dirname(path)), await modeOf(path)], ["700", "600"]);
});

Deno.test("a folder can be bound without a home folder, and never where a folder has the file's name", async () => {
  await using machine = await testMachine();
  const homeless = { ...machine, home: undefined };
  const { project_id } = await writeLocal(homeless, machine.cwd, { project_id: "p" });
  strictEqual(project_id, "p");
  const path = join(machine.root, "private", "folder");
  await Deno.mkdir(path, { recursive: true, mode: 0o700 });
  await Deno.chmod(dirname(path), 0o700);
  await Deno.writeTextFile(join(path, "file"), "");
  await rejects(writePrivateText(path, "text", { ...machine, platform: "windows" }), {
    name: "ConfigError",
    message: /^Cannot write /,
  });
});

Deno.test("file modes count on the system of the surroundings, by default on this one", async () => {
  await using machine = await testMachine();
  for (const [platform, counts] of [["windows", false], ["linux", true]] as const) {
    strictEqual(hasModes({ ...machine, platform }), counts);
  }
  const { platform: _, ...rest } = machine;
  strictEqual(hasModes(rest), Deno.build.os !== "windows");
});

Deno.test("the home folder cannot be bound, since its file has the profiles", async () => {
  await using machine = await testMachine();
  await rejects(writeLocal(machine, machine.home, { project_id: "p" }), { name: "ConfigError" });
  strictEqual([...Deno.readDirSync(machine.home)].length, 0);
});

Deno.test("a new cli.toml explains itself and reads back", async () => {
  await using machine = await testMachine();
  const apps = [{ id: "app1", name: 'A "B" \\ 🎈' }, { id: "app2" }];
  const text = await formatCliToml(undefined, { project_id: "proj_1", apps });
  strictEqual(
    text,
    `# The project that this folder belongs to. Commit this file: it holds no secret.
# Written by: cli init

project_id = "proj_1"

[[apps]]
id = "app1"
name = "A \\"B\\" \\\\ 🎈"

[[apps]]
id = "app2"
`,
  );
  await Deno.writeTextFile(join(machine.cwd, "cli.toml"), text);
  const read = await readCliToml(machine);
  strictEqual(read?.project_id, "proj_1");
  deepStrictEqual(read?.apps.map(({ id, name }) => [id, name]), [
    ["app1", 'A "B" \\ 🎈'],
    ["app2", undefined],
  ]);
  strictEqual(await formatCliToml(text, { project_id: "proj_1", apps }), text);
});

const EDITED = `# Our project. Ask Ann before you change it.
project_id = "proj_1" # the live one
owner = "ann"

# The one in the App Store.
[[apps]]
id = "app1"
name = "One" # as it is called
note = 1

# Nobody uses this one any more.
[[apps]]
id = "app2"

[tool]
# not ours
x = [
  [1],
]
`;

Deno.test("a cli.toml with unchanged keys stays unchanged, in any style", async () => {
  const apps = [{ id: "app2" }, { id: "app1", name: "One" }];
  const same = { project_id: "proj_1", apps };
  strictEqual(await formatCliToml(EDITED, same), EDITED);
  const inline = `apps = [{id='app1'}]\nproject_id='proj_1'`;
  strictEqual(
    await formatCliToml(inline, { project_id: "proj_1", apps: [{ id: "app1" }] }),
    inline,
  );
  const bare = `project_id = "proj_1"`;
  strictEqual(await formatCliToml(bare, { project_id: "proj_1", apps: [] }), bare);
});

Deno.test("a change of cli.toml changes only its lines, and keeps all comments", async () => {
  const apps = [{ id: "app1", name: "Uno" }, { id: "app3", name: "Three" }];
  const text = await formatCliToml(EDITED, { project_id: "proj_2", apps });
  strictEqual(
    text,
    EDITED.replace('"proj_1"', '"proj_2"').replace('"One"', '"Uno"').replace(
      '# Nobody uses this one any more.\n[[apps]]\nid = "app2"\n',
      '[[apps]]\nid = "app3"\nname = "Three"\n',
    ),
  );
});

Deno.test("an app gets its name in the line after its others", async () => {
  const before = `project_id = "p"\n[[apps]]\nid = "app1"\n\n[tool]\nx = 1\n`;
  strictEqual(
    await formatCliToml(before, { project_id: "p", apps: [{ id: "app1", name: "One" }] }),
    before.replace('"app1"\n', '"app1"\nname = "One"\n'),
  );
});

Deno.test("an edit of any cli.toml makes the requested change and loses no field", async () => {
  const texts = [
    "",
    "# only a comment\n",
    'other = 1\n[table]\nproject_id = "not this one"\n',
    'project_id = "old"\n',
    'project_id = "old"',
    '"project_id" = "old" # quoted key\n[ [ apps ] ]\nid = "app1"\n',
    '[[apps]]\nid = "app1"\n[apps.extra]\nname = "inner"\n[[apps]]\nid = "gone"\n',
    'project_id = """\nold"""\nkeep = true\n[[apps]]\nid = "app1"\n',
    'apps = [\n  { id = "app1", keep = 1 }, # one\n]\nproject_id = "old"\n',
    'project_id = "old"\nkeep = """\n[[apps]]\nid = "fake"\n"""\nbig = 9007199254740993\n',
    'project_id = "old"\r\n# note\r\n[[apps]]\r\nid = "gone"\r\n\r\n[z]\r\na = 1979-05-27\r\n',
    '[a.b]\nc = 1\n[[apps]]\nid = "app1"\nname = "x"\n[[apps]]\nid = "app1"\n',
    "this is not TOML",
    'project_id = 7 # a number\napps = "none"\n',
  ];
  const content = { project_id: "proj_#1\"'", apps: [{ id: "app1", name: "One" }, { id: "é🎈" }] };
  for (const text of texts) {
    const result = await formatCliToml(text, content);
    const value = await asJson(result);
    strictEqual(value.project_id, content.project_id, text);
    deepStrictEqual(
      value.apps.map((app) => [app.id, app.name]),
      [["app1", "One"], ["é🎈", undefined]],
      text,
    );
    const { project_id: _, apps: __, ...rest } = await asJson(text);
    const { project_id: _p, apps: _a, ...kept } = value;
    deepStrictEqual(kept, rest, text);
    strictEqual(/[^\r]\n/.test(result) && /\r\n/.test(result), false, "mixed line ends");
    strictEqual(await formatCliToml(result, content), result, "a second edit changes nothing");
  }
});

/** A TOML text as JSON can show it. One that is not TOML counts as empty. */
async function asJson(
  text: string,
): Promise<Record<string, unknown> & { apps: Record<string, string>[] }> {
  try {
    const value = await parseToml("cli.toml", text);
    return JSON.parse(
      JSON.stringify(value, (_, part) => typeof part === "bigint" ? `${part}` : part),
    );
  } catch {
    return { apps: [] };
  }
}

Deno.test("an error in JSON has the position of the first wrong token", () => {
  const faults: [text: string, line: number, column: number][] = [
    ["", 1, 1],
    ["  \n ", 2, 2],
    ["{", 1, 2],
    ['{"a":1,}', 1, 8],
    ['{"a" 1}', 1, 6],
    ['{"a":1 "b":2}', 1, 8],
    ["{'a':1}", 1, 2],
    ["{a:1}", 1, 2],
    ["[1,\n2,,3]", 2, 3],
    ["[1}", 1, 3],
    ['{"a":1]', 1, 7],
    ["[] []", 1, 4],
    ['{"a":"b" x}', 1, 10],
    ['["a","b",]', 1, 10],
    ['{"a":tru}', 1, 6],
    ["01", 1, 2],
    ["TRUE", 1, 1],
    ["[1.]", 1, 3],
    ['{"a":"x\ty"}', 1, 6],
    ['["\\x"]', 1, 2],
    ['["\\u12"]', 1, 2],
    ["[,]", 1, 2],
    ["{,}", 1, 2],
    ["]", 1, 1],
    ['{"a":{"b":[1,{"c":}]}}', 1, 19],
    ["[1] // note", 1, 5],
    ["// note\n{}", 1, 1],
  ];
  for (const [text, line, column] of faults) {
    deepStrictEqual(jsonFault(text), { line, column }, text);
  }
  for (const text of ["{}", "[]", " 1e5 ", '{"a":[{},[],"\\u00e9\u007f",null]}', '"x"']) {
    strictEqual(jsonFault(text), undefined, text);
  }
});
