import { match, ok, strictEqual } from "node:assert/strict";
import { allowedAddress, openHome, storedProfile } from "../../../support/home_fixture.ts";

Deno.test("auth login --paste signs in with the address from another machine's browser", async () => {
  await using at = await openHome();
  let asked = 0;
  const login = await at.run("auth login --paste --callback-port 8976", {
    type: async (said) => {
      const [, url = ""] = /^(http\S*authorize\S*)$/m.exec(said) ?? [];
      return ++asked === 1 ? "nonsense" : (await allowedAddress(url, at)).search;
    },
    browser: () => Promise.reject(new Error("a browser was opened")),
  });
  strictEqual(login.code, 0, login.err);
  strictEqual(asked, 2);
  match(login.err, /in a browser on any machine:$/m);
  match(login.err, /redirect_uri=http%3A%2F%2F127\.0\.0\.1%3A8976%2Fcallback/);
  match(login.err, /^Cannot use this as the answer: it contains no code/m);
  match(login.asked, /Paste the address here:/);
  ok((await storedProfile(at)).access_token);
});

Deno.test("auth login --paste fails at once where nobody can paste", async () => {
  await using at = await openHome();
  const { code, err } = await at.run("auth login --paste");
  strictEqual(code, 2);
  match(err, /^Cannot sign in with --paste: there is no interactive terminal\n.*CLI_REFRESH_TOKEN/);
  strictEqual(at.sent.length, 0);
  strictEqual((await at.run("auth login --callback-port 0")).code, 2);
});
