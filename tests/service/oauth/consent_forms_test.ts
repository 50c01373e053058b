import assert from "node:assert/strict";
import { LONGEST_STATE } from "../../../lib/service/oauth/authorization_request.ts";
import { MOST_FORMS } from "../../../lib/service/oauth/consent_forms.ts";
import {
  answerPage,
  authorizePath,
  obtainCode,
  openPage,
  ORIGIN,
  startSignIn,
} from "../../support/oauth_fixture.ts";

Deno.test("forms that nobody answers do not pile up, and the latest of an address can be answered", async () => {
  await using signIn = await startSignIn();
  const count = () =>
    signIn.store.read(async (tx) =>
      (await tx.selectFrom("consent_forms").select("hash").execute()).length
    );
  const from = async (sender: string) => {
    const request = new Request(new URL(authorizePath(), ORIGIN));
    const response = await signIn.handle(request, sender);
    await response.body?.cancel();
  };
  const first = await openPage(signIn);
  for (let i = 0; i < MOST_FORMS.sender + 20; i++) await from("10.0.0.1");
  assert.equal(await count(), MOST_FORMS.sender + 1);
  assert.equal((await answerPage(signIn, first)).status, 303, "others do not suffer from it");
  for (let i = 0; i < MOST_FORMS.all; i++) await from(`10.1.${i >> 8}.${i & 255}`);
  assert.equal(await count(), MOST_FORMS.all);
  await obtainCode(signIn);
});

Deno.test("a state is bounded, and what is too long is not stored", async () => {
  await using signIn = await startSignIn();
  await obtainCode(signIn, authorizePath({ state: "s".repeat(LONGEST_STATE) }));
  const long = await signIn.send(authorizePath({ state: "s".repeat(LONGEST_STATE + 1) }));
  assert.equal(long.status, 303);
  const answer = new URL(long.headers.get("Location") ?? "").searchParams;
  assert.equal(answer.get("error"), "invalid_request");
  assert.equal(answer.get("error_description"), "The state has more than 2048 characters");
});

Deno.test("a page of another site cannot load the sign-in as a part of its own", async () => {
  await using signIn = await startSignIn();
  const ask = async (headers: Record<string, string>) => {
    const response = await signIn.send(authorizePath(), { headers });
    await response.body?.cancel();
    return response.status;
  };
  const site = { "Sec-Fetch-Site": "cross-site" };
  const parts = [["no-cors", "image"], ["cors", "empty"], ["navigate", "iframe"], [
    "navigate",
    "embed",
  ]];
  for (const [mode = "", dest = ""] of parts) {
    const status = await ask({ ...site, "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": dest });
    assert.equal(status, 403, dest);
  }
  const link = { ...site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };
  assert.equal(await ask(link), 200);
  assert.equal(await ask({}), 200, "a browser that says nothing is none of today's");
  const forms = await signIn.store.read((tx) =>
    tx.selectFrom("consent_forms").select("hash").execute()
  );
  assert.equal(forms.length, 2);
});
