import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { createHash } from "node:crypto";
import { delimiter, join } from "node:path";
import { programName, TARGETS } from "../../scripts/compile.ts";
import { ROOT } from "../../scripts/package/flags.ts";
import {
  fillScript,
  homebrewFormula,
  readRelease,
  scoopManifest,
  wingetManifests,
  writeReleaseFiles,
} from "../../scripts/package/release.ts";
import { VERSION } from "../../lib/version.ts";

const PROGRAM = `#!/bin/sh\necho "cli says $*"\n`;
const posix = await Deno.readTextFile(join(ROOT, "scripts/package/install.sh"));
const powershell = await Deno.readTextFile(join(ROOT, "scripts/package/install.ps1"));

/** The checksums of a release in which each program is the same. */
function sumsOf(program: string): string {
  const sum = createHash("sha256").update(program).digest("hex");
  return TARGETS.map((target) => `${sum}  ${programName(target)}\n`).join("");
}

/** Installs a program from a server on this machine, and returns the result. */
async function install(served: string, env: Record<string, string> = {}, script?: string) {
  const home = await Deno.realPath(await Deno.makeTempDir());
  const asked: string[] = [];
  const stop = new AbortController();
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", signal: stop.signal, onListen: () => {} },
    (request) => {
      asked.push(new URL(request.url).pathname);
      return new Response(served, { status: served === "" ? 404 : 200 });
    },
  );
  try {
    const text = script ?? fillScript(posix, readRelease(sumsOf(PROGRAM), "some/cli"));
    const file = join(home, "install.sh");
    await Deno.writeTextFile(file, text);
    const { code, stdout, stderr } = await new Deno.Command("sh", {
      args: [file],
      clearEnv: true,
      env: {
        PATH: Deno.env.get("PATH") ?? "",
        HOME: home,
        CLI_INSTALL_FROM: `http://127.0.0.1:${server.addr.port}/v1`,
        ...env,
      },
    }).output();
    const decoder = new TextDecoder();
    const folder = join(home, ".local/bin");
    const installed = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name)
      .catch(() => []);
    const path = join(folder, "cli");
    const mode = (await Deno.stat(path).catch(() => undefined))?.mode ?? 0;
    return {
      home,
      asked,
      code,
      installed,
      mode: mode & 0o777,
      text: await Deno.readTextFile(path).catch(() => ""),
      out: decoder.decode(stdout),
      err: decoder.decode(stderr),
    };
  } finally {
    stop.abort();
    await server.finished;
    await Deno.remove(home, { recursive: true });
  }
}

const onPosix = { ignore: Deno.build.os === "windows" };

Deno.test("install.sh installs the program of this system, and no other", onPosix, async () => {
  const { code, asked, installed, mode, text, out, err } = await install(PROGRAM);
  deepEqual([code, err], [0, ""]);
  deepEqual(asked, [`/v1/cli-${Deno.build.target}`]);
  deepEqual(installed, ["cli"]);
  deepEqual([mode, text], [0o755, PROGRAM]);
  match(out, new RegExp(`^Installed cli ${VERSION} as .*/\\.local/bin/cli\n`));
  match(out, /is not on PATH\. Add it with: export PATH=|comes first on PATH/);
});

Deno.test("install.sh refuses a program with a wrong checksum", onPosix, async () => {
  const { code, installed, out, err } = await install(`${PROGRAM}echo evil\n`);
  deepEqual([code, out, installed], [1, "", []]);
  match(err, /^Cannot install cli: the checksum of http.* is\n.*, not\n.*Nothing was installed\n$/);
});

Deno.test("install.sh leaves nothing when the download fails", onPosix, async () => {
  const { code, installed, err } = await install("");
  deepEqual([code, installed], [1, []]);
  match(err, /Cannot install cli: http.* cannot be loaded/);
});

Deno.test("install.sh warns about another cli earlier on PATH", onPosix, async () => {
  const other = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(join(other, "cli"), "echo another", { mode: 0o755 });
    const PATH = [other, Deno.env.get("PATH") ?? ""].join(delimiter);
    match((await install(PROGRAM, { PATH })).out, /Warning: .*\/cli comes first on PATH/);
  } finally {
    await Deno.remove(other, { recursive: true });
  }
});

Deno.test("a truncated install.sh does nothing", onPosix, async () => {
  const whole = fillScript(posix, readRelease(sumsOf(PROGRAM), "some/cli"));
  const { asked, installed } = await install(
    PROGRAM,
    {},
    whole.slice(0, whole.lastIndexOf("main")),
  );
  deepEqual([asked, installed], [[], []]);
});

Deno.test("both scripts pin the version, the address and the checksums, and need no sudo", () => {
  const release = readRelease(sumsOf("x"), "some/cli");
  for (const template of [posix, powershell]) {
    const text = fillScript(template, release);
    ok(!/@[A-Z]+@/.test(text), "a placeholder is left");
    ok(
      text.includes(`https://github.com/some/cli/releases/download/v${VERSION}'`) ||
        text.includes(`https://github.com/some/cli/releases/download/v${VERSION}}`),
    );
    ok(text.includes(release.sums.get("x86_64-pc-windows-msvc") ?? "-"));
    ok(!/^\s*sudo |-Verb RunAs|Invoke-Expression/m.test(text));
  }
  // No PowerShell runs here, so only its form is checked: the sum is compared before it is moved.
  const [sum, move] = [powershell.indexOf("-ne $wanted"), powershell.indexOf("Move-Item")];
  ok(sum > 0 && move > sum);
  equal(powershell.split("{").length, powershell.split("}").length);
});

Deno.test("the files for Homebrew, Scoop and winget name each program with its checksum", () => {
  const sums = TARGETS.map((target, i) => `${String(i).repeat(64)}  ${programName(target)}`);
  const release = readRelease(`${sums.join("\n")}\n`, "some/cli");
  const formula = homebrewFormula(release);
  TARGETS.forEach((target, i) => {
    if (target.includes("windows")) return;
    const pair = `/v${VERSION}/${programName(target)}"\n      sha256 "${String(i).repeat(64)}"`;
    ok(formula.includes(pair), target);
  });
  equal(
    formula.match(/^ *(class|def|on_\w+ do|test do)/gm)?.length,
    formula.match(/^ *end$/gm)?.length,
  );
  const { architecture, bin } = JSON.parse(scoopManifest(release));
  deepEqual([architecture["64bit"].hash, bin], ["4".repeat(64), "cli.exe"]);
  match(architecture["64bit"].url, /\.exe#\/cli\.exe$/);
  const manifests = wingetManifests(release);
  deepEqual(Object.keys(manifests), [
    "some.cli.yaml",
    "some.cli.locale.en-US.yaml",
    "some.cli.installer.yaml",
  ]);
  for (const text of Object.values(manifests)) {
    match(text, new RegExp(`^PackageIdentifier: some\\.cli\nPackageVersion: ${VERSION}\n`));
    for (const line of text.trimEnd().split("\n")) match(line, /^ *(- )?\w+: \S|^ *- \w+$|^\w+:$/);
  }
  match(manifests["some.cli.installer.yaml"] ?? "", /InstallerSha256: 4{64}\n/);
});

Deno.test("a release needs all checksums and a repository", () => {
  throws(() => readRelease(sumsOf("x"), "cli"), /OWNER\/NAME/);
  throws(() => readRelease(sumsOf("x"), "a/b;c"), /OWNER\/NAME/);
  throws(() => readRelease("", "some/cli"), /SHA256SUMS has no cli-x86_64-unknown-linux-gnu/);
  throws(() => readRelease(sumsOf("x").replace(/^./, "z"), "some/cli"), /SHA256SUMS has no/);
});

Deno.test("a release's files are written, and shellcheck, if installed, accepts them", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const names = await writeReleaseFiles(folder, readRelease(sumsOf("x"), "some/cli"));
    deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name).sort(), [...names].sort());
    const scripts = [join(folder, "install.sh"), join(ROOT, ".github/actions/service/service.sh")];
    const check = 'command -v shellcheck >/dev/null || exit 127; exec shellcheck "$@"';
    const { code, stdout } = await new Deno.Command("sh", {
      args: ["-c", check, "sh", ...scripts],
    }).output();
    if (code === 127) console.warn("Skipped: shellcheck is not installed");
    else equal(code, 0, new TextDecoder().decode(stdout));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
