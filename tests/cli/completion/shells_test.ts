import { deepEqual, equal, ok } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SCRIPTS } from "../../../lib/cli/commands/completion/scripts.ts";
import { CLI_FLAGS } from "../../support/cli_flags.ts";
import { openOnPort } from "../../support/on_port.ts";

const PROGRAM = fileURLToPath(new URL("../../../cli.ts", import.meta.url));

/** Ids that a shell has to quote. */
const HARD = [
  "two words",
  "cost $HOME",
  'say "hi"',
  "it's",
  "back\\slash",
  "a:b=c",
  "semi;colon&x",
];

/** The answer of a service with these products. */
const PRODUCTS = {
  object: "list",
  items: HARD.map((id) => ({ object: "product", id, display_name: `Product ${id}` })),
  next_page: null,
  url: "/v2/projects/p/products",
};

/** A machine with a real service, a stored sign-in and a `cli` that prints its arguments. */
async function openMachine() {
  const folder = await Deno.makeTempDir();
  const onPort = await openOnPort(
    {},
    async (request, pass) =>
      request.url.includes("/products") ? Response.json(PRODUCTS) : await pass(request),
  );
  const { service, baseUrl: base_url } = onPort;
  const { access_token, refresh_token } = await service.oauth.issueToken();
  await Deno.mkdir(join(folder, ".cli"), { mode: 0o700 });
  const profile = {
    access_token,
    refresh_token,
    expires_at_ms: Date.now() + 3_600_000,
    client_id: "cli",
    base_url,
  };
  await Deno.writeTextFile(
    join(folder, ".cli/config.json"),
    JSON.stringify({ profiles: { default: profile } }),
    { mode: 0o600 },
  );
  const run = `'${Deno.execPath()}' run ${CLI_FLAGS.join(" ")} -A '${PROGRAM}'`;
  const script = `#!/bin/sh\nif [ "$1" = __complete ]; then exec ${run} "$@"; fi\n` +
    `printf '<%s>' "$@" >> '${folder}/typed'; echo >> '${folder}/typed'\n`;
  await Deno.writeTextFile(join(folder, "cli"), script, { mode: 0o755 });
  for (const [shell, text] of Object.entries(SCRIPTS)) {
    await Deno.writeTextFile(join(folder, `completion.${shell}`), text);
  }
  const env = {
    HOME: folder,
    PATH: `${folder}:/usr/local/bin:/usr/bin:/bin`,
    CLI_PROJECT_ID: service.projectId ?? "",
    DENO_DIR: Deno.env.get("DENO_DIR") ?? join(Deno.env.get("HOME") ?? "", ".cache/deno"),
    TERM: "xterm",
  };
  return {
    folder,
    env,
    /** Runs a program of a shell and returns its output. */
    async run(command: string, ...args: string[]) {
      const started = ["-c", 'exec "$0" "$@"', command, ...args];
      const options = { args: started, env, clearEnv: true, cwd: folder };
      const { stdout, stderr } = await new Deno.Command("sh", options).output();
      const decoder = new TextDecoder();
      return { out: decoder.decode(stdout), err: decoder.decode(stderr) };
    },
    typed: () => Deno.readTextFile(join(folder, "typed")).catch(() => ""),
    async [Symbol.asyncDispose]() {
      await onPort[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

type Machine = Awaited<ReturnType<typeof openMachine>>;

/** Whether a shell is installed. Reports a missing one. */
async function isInstalled(shell: string): Promise<boolean> {
  const { success } = await new Deno.Command("sh", { args: ["-c", `command -v ${shell}`] })
    .output();
  if (!success) console.warn(`skipped: ${shell} is not installed`);
  return success;
}

/** They wait for programs, one after the other. */
const LONG = { ignore: !Deno.env.get("LONG_TESTS") };

/** The unique prefix of each id. */
const TYPED = ["two", "cost", "say", "it", "back", "a", "semi"];

/** The typed text: a command, and prefixes of ids, with a Tab after each. */
const KEYS = `cli entit\tattach pro ${TYPED.map((typed) => `${typed}\t`).join("")}\n`;

/** The resulting arguments of the command. */
const GIVEN = `<entitlements><attach><pro>${HARD.map((id) => `<${id}>`).join("")}\n`;

/** Asks for ids until they come: they are kept for a minute. */
async function learnIds(machine: Machine): Promise<void> {
  // On a busy machine a request may take longer than anybody waits at a Tab.
  const ids =
    "for i in $(seq 20); do cli __complete zsh = entitlements attach pro | grep . && break; done";
  ok((await machine.run("sh", "-c", ids)).out.includes("two words"));
}

/** Types keys into an interactive shell on a terminal. */
async function typeInto(machine: Machine, shell: string, begin: string): Promise<string> {
  const { folder } = machine;
  await Deno.writeTextFile(join(folder, "keys"), KEYS);
  await learnIds(machine);
  const line = `(sleep 0.5; printf '%s\\n' '${begin}'; sleep 0.7; cat keys; ` +
    `for i in $(seq 100); do [ -s typed ] && break; sleep 0.1; done; echo exit; sleep 0.2) | ` +
    `timeout 30 script -qec '${shell}' /dev/null`;
  const { out } = await machine.run("sh", "-c", line);
  return out;
}

Deno.test(
  "bash completes commands and ids that need quotes, with Tab on a terminal",
  LONG,
  async () => {
    if (!await isInstalled("bash") || !await isInstalled("script")) return;
    await using machine = await openMachine();
    const out = await typeInto(machine, "bash --norc -i", ". ./completion.bash");
    equal(await machine.typed(), GIVEN, out);
  },
);

Deno.test("bash completes after = and inside of quotes", async () => {
  if (!await isInstalled("bash")) return;
  await using machine = await openMachine();
  await learnIds(machine);
  const { out } = await machine.run(
    "bash",
    "--norc",
    "-c",
    `. ./completion.bash
propose() {
  COMP_LINE="$1"; COMP_POINT=\${#COMP_LINE}; COMP_WORDS=("$2"); COMP_CWORD=0
  _cli_complete; echo "\${COMPREPLY[*]}"
}
propose 'cli offerings list --out' --out
propose 'cli offerings list --output=c' c
propose 'cli entitlements attach pro "cost' '"cost'
propose 'cli entitlements attach pro a:b' b`,
  );
  equal(out, "--output\ncsv\ncost \\$HOME\nb=c\n");
});

Deno.test("bash and fish complete names of files where a file is meant", async () => {
  await using machine = await openMachine();
  await Deno.writeTextFile(join(machine.folder, "back up.db"), "");
  if (await isInstalled("bash")) {
    const { out } = await machine.run(
      "bash",
      "--norc",
      "-c",
      `. ./completion.bash
compopt() { echo "compopt $*"; }
COMP_LINE='cli service restore ba'; COMP_POINT=\${#COMP_LINE}; COMP_WORDS=(ba); COMP_CWORD=0
_cli_complete cli ba restore; echo "\${#COMPREPLY[@]}"
COMP_LINE='cli api POST /x --body @ba'; COMP_POINT=\${#COMP_LINE}; COMP_WORDS=(@ ba); COMP_CWORD=1
_cli_complete cli @ba --body; echo "\${COMPREPLY[@]}"`,
    );
    equal(out, "compopt -o default\n0\n@back\\ up.db\n");
  }
  if (!await isInstalled("fish")) return;
  const program = "source completion.fish; for line in $argv; complete --do-complete $line; end";
  const lines = [
    "cli service restore ba",
    "cli api POST /x --body @ba",
    "cli apps create --file=ba",
  ];
  const { out } = await machine.run("fish", "--no-config", "-c", program, "--", ...lines);
  equal(out, "back up.db\n@back up.db\n--file=back up.db\n");
});

Deno.test(
  "zsh completes commands and ids that need quotes, with Tab on a terminal",
  LONG,
  async () => {
    if (!await isInstalled("zsh") || !await isInstalled("script")) return;
    await using machine = await openMachine();
    const begin = "autoload -U compinit; compinit -D -u; . ./completion.zsh";
    const out = await typeInto(machine, "zsh -f -i", begin);
    equal(await machine.typed(), GIVEN, out);
  },
);

Deno.test("fish completes commands, flags and ids that need quotes", async () => {
  if (!await isInstalled("fish")) return;
  await using machine = await openMachine();
  const shown = async (line: string) => {
    const program = "source completion.fish; complete --do-complete $argv[1]";
    const { out } = await machine.run("fish", "--no-config", "-c", program, "--", line);
    return out.trimEnd().split("\n").map((row) => row.split("\t"));
  };
  deepEqual((await shown("cli offer"))[0]?.[0], "offerings");
  deepEqual((await shown("cli offerings list --output c")).map(([value]) => value), ["csv"]);
  // On a busy machine a request may take longer than anybody waits at a Tab.
  let [row] = await shown("cli offerings view wint");
  for (let tries = 0; !row?.[0] && tries < 20; tries++) {
    [row] = await shown("cli offerings view wint");
  }
  deepEqual(row, ["winter_sale", "Winter sale"]);
  for (const [i, typed] of TYPED.entries()) {
    let [[value = ""] = []] = await shown(`cli entitlements attach pro ${typed}`);
    for (let tries = 0; value === "" && tries < 20; tries++) {
      [[value = ""] = []] = await shown(`cli entitlements attach pro ${typed}`);
    }
    // Fish itself puts the quotes around a proposal, when it inserts it.
    equal(value, HARD[i]);
  }
});
