/**
 * The operations of the library as its modules have them.
 *
 * @module
 */

import * as library from "../../mod.ts";

/** A function of the library that is an operation of the API. */
export interface LibraryFunction {
  /** Its name. */
  name: string;
  /** The file of `lib/resources` that holds it, without the ending. */
  resource: string;
}

/** The functions of `lib/resources` that `mod.ts` exports, by name. */
export async function libraryFunctions(): Promise<Map<string, LibraryFunction>> {
  const exported = new Map<string, unknown>(Object.entries(library));
  const functions = new Map<string, LibraryFunction>();
  const folder = new URL("../../lib/resources/", import.meta.url);
  for (const { name: file } of Deno.readDirSync(folder)) {
    const module: Record<string, unknown> = await import(new URL(file, folder).href);
    for (const [name, value] of Object.entries(module)) {
      if (typeof value !== "function" || exported.get(name) !== value) continue;
      functions.set(name, { name, resource: file.replace(/\.ts$/, "") });
    }
  }
  return functions;
}
