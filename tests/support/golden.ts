/**
 * Golden files: reviewed output. After an intended change, rewrite them with
 * `UPDATE_GOLDEN=1 deno task test tests/cli/golden/commands_test.ts`, and review the diff.
 *
 * @module
 */

import { AssertionError, deepStrictEqual } from "node:assert/strict";

/** Compares a text with its golden file. */
export async function matchGolden(name: string, text: string): Promise<void> {
  const file = new URL(`../golden/${name}.txt`, import.meta.url);
  if (Deno.env.get("UPDATE_GOLDEN")) return await Deno.writeTextFile(file, text);
  const golden = await Deno.readTextFile(file).catch(() => "");
  try {
    // By lines, so that only those that differ are shown.
    deepStrictEqual(text.split("\n"), golden.replaceAll("\r\n", "\n").split("\n"));
  } catch (error) {
    if (!(error instanceof AssertionError)) throw error;
    const hint = "If that is meant, run the test with UPDATE_GOLDEN=1 and look at the difference.";
    throw new Error(`tests/golden/${name}.txt differs. ${hint}\n${error.message}`);
  }
}

/** Ids, public keys and the like. StoreKit's own identifiers are in capitals. */
const IDS =
  /\b(proj|app|pw|apikey|appl_|prod|ofrng|pkge|entl|collab|log|sub|purc|svcbin|txn_|whintgr|dlv|)([0-9a-f]{8,28}|[0-9A-F]{8})\b/g;

/** Ids of the service, which differ from run to run, as ids of the same length that do not. */
export function steadyIds(text: string): string {
  const numbers = new Map<string, string>();
  const shortened = text
    .replace(/\b([0-9a-f]{8})(?:-[0-9a-f]{4}){3}-([0-9a-f]{12})\b/g, "$1-0000-0000-0000-$2")
    .replace(/\bGPA\.\d{4}-\d{4}-\d{4}-\d{5}/g, "GPA.0000-0000-0000-00000");
  return shortened.replace(IDS, (id, kind: string, digits: string) => {
    const number = numbers.get(id) ?? String(numbers.size + 1);
    numbers.set(id, number);
    return kind + number.padStart(digits.length, "0");
  });
}
