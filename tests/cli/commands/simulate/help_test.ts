import { matchHelp } from "../../../support/golden_help.ts";

Deno.test("the help of cli simulate matches the reviewed text", async () => {
  await matchHelp("simulate");
});
