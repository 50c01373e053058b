/**
 * The pack that `cli scenario init` writes: stories that every handler should survive.
 *
 * @module
 */

import { BILLING } from "./billing.ts";
import { CHANGES } from "./changes.ts";
import { ONCE } from "./once.ts";
import { PEOPLE } from "./people.ts";
import { REFUNDS } from "./refunds.ts";
import type { Story } from "./story.ts";
import { TRIALS } from "./trials.ts";

export { CATALOGUE } from "./catalogue.ts";

/** All stories, in the order of their files. */
export const STORIES: readonly Story[] = [
  ...TRIALS,
  ...BILLING,
  ...CHANGES,
  ...REFUNDS,
  ...PEOPLE,
  ...ONCE,
].sort((a, b) => a.file < b.file ? -1 : 1);
