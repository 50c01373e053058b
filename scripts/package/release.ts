/**
 * Writes the other files of a release from the checksums of its programs: the installation scripts,
 * and the files for Homebrew, Scoop and winget. Each pins the version and the checksums.
 *
 * Run it as `deno task release-files --repository OWNER/NAME`, after `deno task compile --all`.
 *
 * @module
 */

import { join } from "node:path";
import { parseArgs } from "node:util";
import { programName, SUMS, type Target, TARGETS } from "../compile.ts";
import { VERSION } from "../../lib/version.ts";
import { ROOT } from "./flags.ts";

/** A release. */
export interface Release {
  /** The owner and the name of its repository. */
  repository: string;
  /** The checksum of each program. */
  sums: ReadonlyMap<Target, string>;
}

const DESCRIPTION = "Typed functions and a command line for the Subscription Management Service";

/**
 * Reads the checksums of a release's programs.
 *
 * @throws {Error} for a missing or malformed checksum, or an invalid repository name.
 */
export function readRelease(sums: string, repository: string): Release {
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) {
    throw new Error(`Cannot name the repository ${JSON.stringify(repository)}: pass OWNER/NAME`);
  }
  const found = new Map<Target, string>();
  for (const target of TARGETS) {
    const line = sums.split("\n").find((line) => line.endsWith(`  ${programName(target)}`));
    const [sum = ""] = /^[0-9a-f]{64}(?= )/.exec(line ?? "") ?? [];
    if (sum === "") {
      throw new Error(`Cannot write the files of a release: ${SUMS} has no ${programName(target)}`);
    }
    found.set(target, sum);
  }
  return { repository, sums: found };
}

/** The address of a file of the release. */
function addressOf({ repository }: Release, file: string): string {
  return `https://github.com/${repository}/releases/download/v${VERSION}/${file}`;
}

/** The checksum of a program, which exists. */
function sumOf({ sums }: Release, target: Target): string {
  return sums.get(target) ?? "";
}

/** Fills in the script for a POSIX shell, or the one for PowerShell. */
export function fillScript(template: string, release: Release): string {
  const lines = TARGETS.map((target) => `${sumOf(release, target)}  ${programName(target)}`);
  return template.replaceAll("@VERSION@", VERSION)
    .replaceAll("@FROM@", addressOf(release, "").replace(/\/$/, ""))
    .replaceAll("@SUMS@", lines.join("\n"))
    .replaceAll("@SUM@", sumOf(release, "x86_64-pc-windows-msvc"));
}

/** The formula for Homebrew. */
export function homebrewFormula(release: Release): string {
  const part = (on: string, target: Target) =>
    `    ${on} do
      url "${addressOf(release, programName(target))}"
      sha256 "${sumOf(release, target)}"
    end`;
  return `class Cli < Formula
  desc "${DESCRIPTION}"
  homepage "https://github.com/${release.repository}"
  version "${VERSION}"
  license "MIT"

  on_macos do
${part("on_arm", "aarch64-apple-darwin")}
${part("on_intel", "x86_64-apple-darwin")}
  end

  on_linux do
${part("on_arm", "aarch64-unknown-linux-gnu")}
${part("on_intel", "x86_64-unknown-linux-gnu")}
  end

  def install
    bin.install Dir["cli-*"].first => "cli"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/cli --version")
  end
end
`;
}

/** The manifest for Scoop. */
export function scoopManifest(release: Release): string {
  const target = "x86_64-pc-windows-msvc";
  const content = {
    version: VERSION,
    description: DESCRIPTION,
    homepage: `https://github.com/${release.repository}`,
    license: "MIT",
    architecture: {
      "64bit": {
        url: `${addressOf(release, programName(target))}#/cli.exe`,
        hash: sumOf(release, target),
      },
    },
    bin: "cli.exe",
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** The three manifests for winget, by the names of their files. */
export function wingetManifests(release: Release): Record<string, string> {
  const [owner = "", name = ""] = release.repository.split("/");
  const identifier = `${owner}.${name}`;
  const target = "x86_64-pc-windows-msvc";
  const manifest = (type: string, lines: string[]) =>
    [
      `PackageIdentifier: ${identifier}`,
      `PackageVersion: ${VERSION}`,
      ...lines,
      `ManifestType: ${type}`,
      "ManifestVersion: 1.9.0",
      "",
    ].join("\n");
  return {
    [`${identifier}.yaml`]: manifest("version", ["DefaultLocale: en-US"]),
    [`${identifier}.locale.en-US.yaml`]: manifest("defaultLocale", [
      "PackageLocale: en-US",
      `Publisher: ${owner}`,
      `PackageName: ${name}`,
      "License: MIT",
      `ShortDescription: ${DESCRIPTION}`,
    ]),
    [`${identifier}.installer.yaml`]: manifest("installer", [
      "InstallerType: portable",
      "Commands:",
      "  - cli",
      "Installers:",
      "  - Architecture: x64",
      `    InstallerUrl: ${addressOf(release, programName(target))}`,
      `    InstallerSha256: ${sumOf(release, target).toUpperCase()}`,
    ]),
  };
}

/** Writes all files of a release into a folder, and returns their names. */
export async function writeReleaseFiles(folder: string, release: Release): Promise<string[]> {
  const template = (name: string) => Deno.readTextFile(join(ROOT, "scripts/package", name));
  const files: Record<string, string> = {
    "install.sh": fillScript(await template("install.sh"), release),
    "install.ps1": fillScript(await template("install.ps1"), release),
    "cli.rb": homebrewFormula(release),
    "cli.json": scoopManifest(release),
    ...wingetManifests(release),
  };
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(join(folder, name), text);
  }
  return Object.keys(files);
}

if (import.meta.main) {
  try {
    const options = { repository: { type: "string" } } as const;
    const { repository = "" } = parseArgs({ args: Deno.args, options }).values;
    const folder = join(ROOT, "dist");
    const sums = await Deno.readTextFile(join(folder, SUMS));
    const names = await writeReleaseFiles(folder, readRelease(sums, repository));
    console.log(`Wrote ${names.map((name) => `dist/${name}`).join(", ")}`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    Deno.exitCode = 1;
  }
}
