import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { type Home, openHome } from "../../../support/home_fixture.ts";

/** A machine that knows the admin secret, as one does that the service runs on. */
async function withSecret(): Promise<Home> {
  const at = await openHome();
  at.env.CLI_SERVICE_ADMIN_SECRET = at.service.adminSecret;
  at.pass(1);
  return at;
}

Deno.test("service client registers a client for loopback, lists it, and removes it", async () => {
  await using at = await withSecret();
  const added = await at.run("service client add acme-cli --name Acme --output json");
  strictEqual(added.code, 0, added.err);
  deepStrictEqual(added.json(), {
    object: "client",
    id: "acme-cli",
    name: "Acme",
    redirect_uris: ["http://127.0.0.1/callback", "http://[::1]/callback"],
  });
  const uri = "https://acme.example.com/callback";
  strictEqual((await at.run(`service client add web --redirect-uri ${uri}`)).code, 0);
  const list = await at.run("service client list");
  match(list.out, /^svc-cli /m);
  match(list.out, /^acme-cli +Acme +http:\/\/127/m);
  match(list.out, /^web +web +https:\/\/acme\.example\.com\/callback/m);
  strictEqual((await at.run("service client add acme-cli")).code, 7);
  strictEqual((await at.run("service client remove acme-cli")).code, 3);
  const removed = await at.run("service client remove acme-cli -y");
  match(removed.err, /^Removed the client acme-cli$/m);
  strictEqual((await at.run("service client remove acme-cli -y")).code, 5);
});
