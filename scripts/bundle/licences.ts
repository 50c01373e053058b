/**
 * The packages in a bundle, and their licences.
 *
 * @module
 */

import { join } from "node:path";

/**
 * Packages that stay outside of a bundle. `jq-wasm` contains the compiled jq, whose authors ask for
 * their licences beside each copy; the package does not carry them.
 */
export const LEFT_OUT: readonly string[] = ["jq-wasm"];

/** The parts of a package's `package.json` that matter here. */
interface PackageFile {
  /** The package's name. */
  name: string;
  /** Its version. */
  version: string;
  /** The identifier of its licence. */
  license?: string;
  /** Its author, as a text or with fields. */
  author?: string | { name?: string };
}

/** The licences of packages that a bundle may contain. */
const ACCEPTED = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"];

/** The folders of the packages that files of a bundle come from, in order. */
export function packageFolders(files: Iterable<string>): string[] {
  const folders = [...files].flatMap((file) =>
    /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? []
  );
  return [...new Set(folders)].sort();
}

/** The first file that a bundle does not take from its own folder: nobody has asked for it. */
export function findForeign(files: Iterable<string>): string | undefined {
  return [...files].find((file) => /^(?:\.\.[\\/]|[\\/]|[A-Za-z]:[\\/])/.test(file));
}

/**
 * One text with the licences of packages.
 *
 * @param root The folder that the paths of packages start from.
 * @param standard Returns the standard text of a licence, for a package that has no text of its own.
 * @throws {Error} for a package whose licence is not one of those that a bundle may contain.
 */
export async function licencesOf(
  folders: readonly string[],
  root: string,
  standard: (identifier: string) => Promise<string>,
): Promise<string> {
  const parts: string[] = [
    "# Packages in the program\n\nThe files in `program/` contain code of these packages.\n",
  ];
  for (const folder of folders) {
    const { name, version, license = "none", author }: PackageFile = JSON.parse(
      await Deno.readTextFile(join(root, folder, "package.json")),
    );
    if (!ACCEPTED.includes(license)) {
      throw new Error(`Cannot bundle the package ${name}: its licence is ${license}`);
    }
    const by = typeof author === "string" ? author : author?.name;
    const text = await ownText(join(root, folder)) ??
      `${by ? `By ${by}\n\n` : ""}${await standard(license)}`;
    parts.push(`## ${name} ${version} (${license})\n\n\`\`\`text\n${text.trim()}\n\`\`\`\n`);
  }
  return parts.join("\n");
}

/** The text of a package's licence: in a file of its own, or the last part of its README. */
async function ownText(folder: string): Promise<string | undefined> {
  const names = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
  const file = names.find((name) => /^licen[cs]e(\.(md|txt))?$/i.test(name));
  if (file) return await Deno.readTextFile(join(folder, file));
  const readme = names.find((name) => /^readme\.md$/i.test(name));
  if (!readme) return undefined;
  const text = await Deno.readTextFile(join(folder, readme));
  return /^##* licen[cs]e\n([^]*permission[^]*)/im.exec(text)?.[1];
}
