import { deepEqual, equal, match } from "node:assert/strict";
import { rewrittenHint } from "../../../lib/cli/words/rewritten.ts";
import { openCounter } from "../../support/cli_fixture.ts";

Deno.test("an argument changed by Git Bash is reported", async () => {
  await using counter = await openCounter();
  const ran = await counter.run(`subscribers info 'C:/Program Files/Git/customers'`);
  equal(ran.code, 5);
  match(
    ran.err,
    /\nGit Bash has changed \/customers to "C:\/Program Files\/Git\/customers"\. Run the command/,
  );
});

Deno.test("only arguments from Git Bash are reported", () => {
  const typed = (word: string) => / changed (\S+) to /.exec(rewrittenHint([word]) ?? "")?.[1];
  deepEqual([
    typed("C:/Program Files/Git/customers"),
    typed("--path=C:/Program Files/Git/x/y"),
    typed("D:/msys64/a"),
    typed("C:/Users/ada/work"),
    typed("C:\\Program Files\\Git\\x"),
    typed("/customers"),
    typed("https://example.com/Git/x"),
  ], ["/customers", "/x/y", "/a", undefined, undefined, undefined, undefined]);
});
