import { deepEqual, ok } from "node:assert/strict";
import { addAccount, listAccounts, removeAccount } from "../../../lib/service/oauth/mod.ts";
import { startSignIn } from "../../support/oauth_fixture.ts";

Deno.test("an account is removed with its codes and its tokens", async () => {
  await using signIn = await startSignIn();
  const { id, left } = await signIn.store.write(async (tx) => {
    const account = await addAccount(tx, { email: "ada@example.com", name: "Ada", now: 1 });
    await tx.insertInto("authorization_codes").values({
      ...{ hash: "h", account_id: account.id, client_id: "svc-cli", redirect_uri: "r" },
      ...{ scope: "s", challenge: "c", expires_at: 9, used_at: null, grant_id: null },
    }).execute();
    return { id: account.id, left: await removeAccount(tx, account.id) };
  });
  deepEqual(left, []);
  const accounts = await signIn.store.read((tx) => listAccounts(tx));
  ok(accounts.length > 0 && accounts.every((account) => account.id !== id));
});
