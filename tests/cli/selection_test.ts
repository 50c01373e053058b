import { equal, match } from "node:assert/strict";
import { inSelection } from "../../lib/cli/selection.ts";
import { selectionFlags } from "../../lib/cli/screen/command_lines.ts";
import { openHome, signedIn } from "../support/home_fixture.ts";

const GLOBALS = {
  output: "table",
  profile: "my work",
  projectId: "proj1",
  allowInsecureHost: false,
} as const;

Deno.test("the commands in a hint keep the sign-in and the project of the failed one", () => {
  const hints = [
    [
      "See: cli packages products p1. Detach it with: cli packages detach p1 <id>",
      "See: cli --project-id proj1 --profile 'my work' packages products p1. " +
      "Detach it with: cli --project-id proj1 --profile 'my work' packages detach p1 <id>",
    ],
    [
      "See the list: cli apps list --project-id proj2",
      "See the list: cli --profile 'my work' apps list --project-id proj2",
    ],
    [
      "See your projects: cli projects list",
      "See your projects: cli --profile 'my work' projects list",
    ],
    // These use neither, or only the help.
    ["Wait for the other cli process or stop it", undefined],
    ["Start it with: cli service start", undefined],
    ["Sign in with: cli auth login --name x", undefined],
    ["Check --name; see: cli apps create --help", undefined],
    ["Look into ~/.cli apps", undefined],
  ] as const;
  for (const [hint, expected = hint] of hints) equal(inSelection(hint, GLOBALS), expected);
  const none = { ...GLOBALS, profile: undefined, projectId: undefined };
  for (const [hint] of hints) equal(inSelection(hint, none), hint);
});

Deno.test("the flags of a selection are quoted for a shell", () => {
  equal(selectionFlags({}), "");
  equal(selectionFlags({ profile: "my work" }), " --profile 'my work'");
});

Deno.test("a refused command suggests commands for its own profile and project", async () => {
  await using at = await openHome();
  await signedIn(at, "work");
  await signedIn(at, "other");
  const place = `--project-id ${at.service.projectId} --profile work`;
  const refused = await at.run(`offerings archive default ${place}`);
  equal(refused.code, 7, refused.err);
  match(refused.err, new RegExp(`first: cli ${place} offerings `));
  at.env.CLI_PROJECT_ID = at.service.projectId ?? "";
  const missing = await at.run("offerings view nope --profile work");
  equal(missing.code, 5, missing.err);
  match(missing.err, /^See the list: cli offerings list --project-id \w+ --profile work$/m);
  const json = (await at.run("offerings view nope --profile work --output json")).err;
  match(json, /"hint":"See the list: cli offerings list --project-id \w+ --profile work"/);
});
