import { matchHelp } from "../../../support/golden_help.ts";

Deno.test("the help of cli offerings matches the reviewed text", async () => {
  await matchHelp("offerings");
});
