import { equal, match } from "node:assert/strict";
import { openFolder, START } from "../../support/scenarios.ts";

Deno.test("a step that expects no refusal passes, unless the service refuses it", async () => {
  await using folder = await openFolder();
  const file = await folder.write(
    "a.yaml",
    `${START}steps:
  - purchase: { customer: ada, product: pro.monthly }
    as: s
  - expire: s
    expect: { refused: false }
  - renew: s
    expect: { refused: false }
`,
  );
  const { code, out } = await folder.run("scenario", "run", file);
  equal(code, 1);
  const lines = out.split("\n").filter((line) => line.includes(".yaml:"));
  equal(lines.length, 1, out);
  match(lines[0] ?? "", /step 3 \(renew s\): The service refused the step/);
});
