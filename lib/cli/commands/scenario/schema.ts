/**
 * `cli scenario schema`: the JSON schema of scenario files, for editors.
 *
 * @module
 */

import { command } from "../../words/command.ts";

/** Prints the JSON schema of scenario files. */
export const schema = command({
  brief: "Print the JSON schema of scenario files",
  details: "With it an editor completes the files. cli scenario init writes it beside the stories.",
  examples: ["cli scenario schema > scenarios/scenario.schema.json"],
  async run({ out }) {
    const { scenarioSchema } = await import("../../../scenario/file/schema.ts");
    out.json(JSON.stringify(scenarioSchema()));
  },
});
