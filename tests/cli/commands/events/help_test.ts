import { matchHelp } from "../../../support/golden_help.ts";

Deno.test("the help of cli events matches the reviewed text", async () => {
  await matchHelp("events");
});
