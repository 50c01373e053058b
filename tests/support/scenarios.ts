/**
 * Scenario files for tests: a folder that is removed afterwards, and the command line that runs them.
 *
 * @module
 */

import { openDesk, type Ran } from "./harness.ts";

/** A catalogue with one product, inline. */
export const START = `start:
  at: 2026-01-31
  catalogue:
    apps: { ios: app_store }
    products:
      pro.monthly: { app: ios, duration: P1M, trial: P1W, grace: P3D, price: 9.99, entitlements: [pro] }
`;

/** A folder with scenario files. */
export interface ScenarioFolder extends AsyncDisposable {
  /** Its path. */
  readonly path: string;
  /** The environment of the command lines. Change it at will. */
  readonly env: Record<string, string>;
  /** Writes a file and returns its path. */
  write(name: string, text: string): Promise<string>;
  /** Runs a command line. */
  run(...words: string[]): Promise<Ran>;
}

/** Makes a folder. `answer` stands for the program under test. */
export async function openFolder(
  answer?: (request: Request) => Promise<Response>,
  interrupt?: AbortSignal,
): Promise<ScenarioFolder> {
  const path = await Deno.makeTempDir();
  const desk = await openDesk({
    ...answer && { intercept: (request: Request) => answer(request) },
    ...interrupt && { interrupt },
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, Math.min(ms, 20))),
  });
  return {
    path,
    env: desk.env,
    async write(name, text) {
      await Deno.writeTextFile(`${path}/${name}`, text);
      return `${path}/${name}`;
    },
    run: (...words) => desk.run(...words),
    async [Symbol.asyncDispose]() {
      await desk[Symbol.asyncDispose]();
      await Deno.remove(path, { recursive: true });
    },
  };
}
