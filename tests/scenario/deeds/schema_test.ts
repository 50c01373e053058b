import { DEEDS } from "../../../lib/scenario/deeds/mod.ts";
import { matchGolden } from "../../support/golden.ts";

Deno.test("the deeds of scenario files and their fields match the reviewed text", async () => {
  const lines = Object.entries(DEEDS).flatMap(([name, { brief, short, fields }]) => [
    `${name}: ${brief}${short === undefined ? "" : ` Short: ${short}.`}`,
    ...Object.entries(fields).map(([field, { brief, kind, required = false }]) =>
      `  ${field}${required === true ? " (required)" : ""}: ${brief} ${JSON.stringify(kind.schema)}`
    ),
  ]);
  await matchGolden("scenario_deeds", `${lines.join("\n")}\n`);
});
