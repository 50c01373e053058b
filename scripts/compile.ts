/**
 * Compiles `cli.ts` to stand-alone programs in dist/, with the permissions of `deno task cli`, and
 * writes their checksums beside them.
 *
 * Run it as `deno task compile`, `deno task compile --target <target>` or `deno task compile --all`.
 *
 * `deno compile` puts the program into a runtime ("denort") that it downloads once per target.
 * Without a network, name a runtime on this machine in `DENORT_BIN`.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT, taskFlags, taskPermissions } from "./package/flags.ts";

/** The systems of a release's programs. */
export const TARGETS = [
  "x86_64-unknown-linux-gnu",
  "aarch64-unknown-linux-gnu",
  "x86_64-apple-darwin",
  "aarch64-apple-darwin",
  "x86_64-pc-windows-msvc",
] as const;

/** A system of a release's program. */
export type Target = typeof TARGETS[number];

/** The file with the checksums, in the format of `sha256sum --check`. */
export const SUMS = "SHA256SUMS";

/**
 * The browser opener and the shell of each system, for `cli events listen --exec`. A program has
 * only those of its own system.
 */
const PROGRAMS = [
  ["linux", "xdg-open,sh,git"],
  ["darwin", "open,sh,git"],
  ["windows", "rundll32,cmd,git"],
];

/** The targets of a command line. Throws an error with a sentence for an invalid one. */
export function wantedTargets(
  args: string[],
  host: string = Deno.build.target,
  ownRuntime = false,
): Target[] {
  const { all, target = host } = parseArgs({
    args,
    options: { all: { type: "boolean" }, target: { type: "string" } },
  }).values;
  if (all && ownRuntime) {
    throw new Error(
      "Cannot compile for all targets: DENORT_BIN names the runtime of one target. Unset it, " +
        "or pass --target",
    );
  }
  if (all) return [...TARGETS];
  const found = TARGETS.find((known) => known === target);
  if (!found) {
    throw new Error(
      `Cannot compile for "${target}": unknown target. The targets are: ${TARGETS.join(", ")}`,
    );
  }
  return [found];
}

/** The name of a target's program in dist/. */
export function programName(target: Target): string {
  return `cli-${target}${target.includes("windows") ? ".exe" : ""}`;
}

/** The permissions of `deno task cli`, from the text of deno.json, narrowed to a target. */
export function permissions(denoJson: string, target: Target): string[] {
  const [, programs] = PROGRAMS.find(([system = ""]) => target.includes(system)) ?? [];
  return taskPermissions(denoJson).map((flag) =>
    flag.startsWith("--allow-run=") ? `--allow-run=${programs}` : flag
  );
}

/** The arguments of `deno` that compile the program of a target into a file. */
export function compileArguments(denoJson: string, target: Target, output: string): string[] {
  return [
    "compile",
    // This also hides a missing opener from the program.
    "--quiet",
    "--frozen",
    // `deno task check` checks the types, which takes longer than to compile.
    "--no-check",
    "--no-prompt",
    "--exclude-unused-npm",
    ...taskFlags(denoJson).filter((flag) => flag.startsWith("--v8-flags=")),
    ...permissions(denoJson, target),
    "--target",
    target,
    "--output",
    output,
    join(ROOT, "cli.ts"),
  ];
}

/** The checksums of the programs in a folder, one line each, by name. */
export async function checksums(folder: string): Promise<string> {
  const lines: string[] = [];
  for await (const { name, isFile } of Deno.readDir(folder)) {
    if (!isFile || !TARGETS.some((target) => programName(target) === name)) continue;
    const hash = createHash("sha256");
    const file = await Deno.open(join(folder, name));
    for await (const chunk of file.readable) hash.update(chunk);
    lines.push(`${hash.digest("hex")}  ${name}\n`);
  }
  return lines.sort((a, b) => a.slice(66) < b.slice(66) ? -1 : 1).join("");
}

/** Compiles the requested targets. Returns the exit code. */
async function main(args: string[]): Promise<number> {
  const targets = wantedTargets(args, undefined, Boolean(Deno.env.get("DENORT_BIN")));
  const denoJson = await Deno.readTextFile(join(ROOT, "deno.json"));
  const folder = join(ROOT, "dist");
  await Deno.mkdir(folder, { recursive: true });
  for (const target of targets) {
    const output = join(folder, programName(target));
    const { success, code } = await new Deno.Command(Deno.execPath(), {
      args: compileArguments(denoJson, target, output),
    }).spawn().status;
    if (success) console.log(`Compiled ${programName(target)}`);
    else {
      console.error(`Cannot compile for ${target}: deno compile ended with code ${code}`);
      console.error(
        "It downloads a runtime for each target. Without a network, set DENORT_BIN to a runtime.",
      );
      return 1;
    }
  }
  await Deno.writeTextFile(join(folder, SUMS), await checksums(folder));
  console.log(`Wrote ${SUMS}`);
  return 0;
}

if (import.meta.main) {
  try {
    Deno.exitCode = await main(Deno.args);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    Deno.exitCode = 2;
  }
}
