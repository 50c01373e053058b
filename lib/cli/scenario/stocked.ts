/**
 * A stage on which the catalogue of the stories is sold.
 *
 * @module
 */

import { applyCatalogue, readCatalogue } from "../../scenario/file/catalogue.ts";
import { openSearcher } from "../../scenario/file/regular.ts";
import { readTree } from "../../scenario/file/read.ts";
import { readFrom } from "../../scenario/run/bench.ts";
import { CATALOGUE } from "../../scenario/stories/catalogue.ts";
import type { Context } from "../context.ts";
import { type OpenStage, openStage } from "./stage.ts";

/** When lives begin. */
const BEGINNING = Date.UTC(2026, 0, 31);

/** How many lives one stage sees: earlier ones go on while time passes, and take time. */
const LIVES = 12;

/** Stages for many lives. */
interface Stages {
  /** A stage, which must be closed. */
  open(seed: string): Promise<OpenStage>;
  /** Ends the last stage. */
  close(): Promise<void>;
}

/** Makes stages for many lives: several use the same one after each other. */
export function createStages(context: Context): Stages {
  let stage: OpenStage | undefined;
  let used = 0;
  const close = async () => {
    await stage?.close();
    stage = undefined;
  };
  return {
    async open(seed) {
      if (used++ % LIVES === 0) await close();
      stage ??= await openStocked(context, seed);
      return { ...stage, close: () => Promise.resolve() };
    },
    close,
  };
}

/** Opens a stage on which the catalogue of the stories is sold. */
async function openStocked(context: Context, seed: string): Promise<OpenStage> {
  const { root } = await readTree(CATALOGUE);
  const options = { at: BEGINNING, seed, delivers: false, allowHost: false };
  const stage = await openStage(context, options);
  if (!root) return stage;
  const scope = {
    vars: {},
    problems: [],
    names: new Map(),
    catalogue: undefined,
    once: undefined,
    zone: "UTC",
    searcher: await openSearcher(),
    held: false,
  };
  const catalogue = readCatalogue(root, scope);
  await applyCatalogue(catalogue, stage.project, (request) => readFrom(stage, request));
  return stage;
}
