import { matchHelp } from "../../../support/golden_help.ts";

Deno.test("the help of cli clock matches the reviewed text", async () => {
  await matchHelp("clock");
});
