import { matchHelp } from "../../../support/golden_help.ts";

Deno.test("the help of cli completion matches the reviewed text", async () => {
  await matchHelp("completion");
});
