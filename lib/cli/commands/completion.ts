/**
 * `cli completion`
 *
 * @module
 */

import { UsageError } from "../../errors.ts";
import { SCRIPTS, SHELLS } from "./completion/scripts.ts";
import { argument, command } from "../words/command.ts";

/** Prints the script that completes command lines in a shell. */
export const completion = command({
  brief: "Print the script that completes commands in a shell",
  details:
    "It proposes commands, flags, their values, and ids of the project's objects. The ids come " +
    "from the service if it answers quickly, and are kept for a minute. It never signs in.",
  examples: [
    'eval "$(cli completion bash)"',
    'eval "$(cli completion zsh)"',
    "cli completion fish > ~/.config/fish/completions/cli.fish",
    "cli completion pwsh | Out-String | Invoke-Expression",
  ],
  args: { shell: argument(`The shell: ${SHELLS.join(", ")}`) },
  run({ out }, { shell }) {
    const known = SHELLS.find((one) => one === shell);
    if (known) out.raw(SCRIPTS[known]);
    else {
      throw new UsageError(
        `Cannot print a completion script for ${JSON.stringify(shell)}: it is not a known shell`,
        {
          hint: `The shells are: ${SHELLS.join(", ")}`,
        },
      );
    }
    return Promise.resolve();
  },
});
