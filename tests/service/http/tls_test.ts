import { equal, match, ok, rejects } from "node:assert/strict";
import { join } from "node:path";
import { takePort } from "../../../lib/service/http/connections.ts";
import type { ServeOptions } from "../../../lib/service/serve.ts";
import { AUTHORITY, CERTIFICATE, KEY } from "../../support/certificate.ts";
import { authorizePath } from "../../support/oauth_fixture.ts";
import { CHEAP } from "../../support/password_fixture.ts";
import { startServer } from "../../support/server.ts";

/** Serves with the certificate, from files. */
async function withTls(
  test: (baseUrl: string, client: Deno.HttpClient) => Promise<void>,
  changes: Partial<ServeOptions> = {},
): Promise<void> {
  const folder = await Deno.makeTempDir();
  const tls = { certFile: join(folder, "cert.pem"), keyFile: join(folder, "key.pem") };
  await Deno.writeTextFile(tls.certFile, CERTIFICATE);
  await Deno.writeTextFile(tls.keyFile, KEY);
  const server = await startServer({ signIn: CHEAP, tls, ...changes });
  const client = Deno.createHttpClient({ caCerts: [AUTHORITY] });
  try {
    await test(server.baseUrl, client);
  } finally {
    client.close();
    await server[Symbol.asyncDispose]();
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("with a certificate the service answers over TLS, and its cookies are for TLS alone", async () => {
  await withTls(async (baseUrl, client) => {
    match(baseUrl, /^https:\/\/127\.0\.0\.1:\d+$/);
    const page = await fetch(baseUrl + authorizePath(), { client });
    equal(page.status, 200);
    match(await page.text(), /name="password"/);
    match(page.headers.get("Set-Cookie") ?? "", /^__Host-consent_\w+=\S+; Path=\/; Secure; /);
    const metadata = await fetch(`${baseUrl}/.well-known/oauth-authorization-server`, { client });
    equal((await metadata.json()).issuer, baseUrl);
    await rejects(fetch(baseUrl.replace("https:", "http:")), TypeError);
    await rejects(fetch(baseUrl), TypeError, "the authority must be known");
  });
});

Deno.test("the public address is the issuer, and a host of the service", async () => {
  await withTls(async (baseUrl) => {
    equal(baseUrl, "https://subs.example.com");
    return await Promise.resolve();
  }, { publicUrl: "https://subs.example.com/" });
});

Deno.test("a file that is no certificate, or a key of another one, is refused with its name", async () => {
  const folder = await Deno.makeTempDir();
  const file = join(folder, "cert.pem");
  await Deno.writeTextFile(file, "no certificate");
  await rejects(withTls(() => Promise.resolve(), { tls: { certFile: file, keyFile: file } }), {
    name: "ConfigError",
    message: /^Cannot use ".*cert\.pem" for TLS: /,
    hint: "Pass a certificate in PEM as --tls-cert, and its private key as --tls-key.",
  });
  const cert = join(folder, "right.pem");
  await Deno.writeTextFile(cert, CERTIFICATE);
  await Deno.writeTextFile(file, await newKey());
  for (const host of ["127.0.0.1", "0.0.0.0"]) {
    const start = withTls(() => Promise.resolve(), {
      host,
      tls: { certFile: cert, keyFile: file },
    });
    await rejects(start, {
      name: "ConfigError",
      message: /^Cannot use ".*cert\.pem" for TLS: it is not the key of .*right\.pem"$/,
      hint: "Pass as --tls-key the key that was made with the certificate of --tls-cert.",
    });
  }
  await Deno.remove(folder, { recursive: true });
});

/** A private key in PEM that no certificate has. */
async function newKey(): Promise<string> {
  const curve = { name: "ECDSA", namedCurve: "P-256" };
  const { privateKey } = await crypto.subtle.generateKey(curve, true, ["sign", "verify"]);
  const bytes = new Uint8Array(await crypto.subtle.exportKey("pkcs8", privateKey));
  const lines = bytes.toBase64().replace(/.{64}/g, "$&\n");
  return `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----\n`;
}

Deno.test("connections that do not begin TLS lose their places to those that do", async () => {
  const listener = takePort({
    hostname: "127.0.0.1",
    port: 0,
    tls: { cert: CERTIFICATE, key: KEY },
    report() {},
    limits: { most: 3, head_s: 3, body_s: 3, idle_s: 3 },
    secondMs: 20,
  }).answer(() => Promise.resolve(new Response("hello")));
  const { port } = listener;
  const silent: Deno.TcpConn[] = [];
  const addSilent = async () => silent.push(await Deno.connect({ hostname: "127.0.0.1", port }));
  for (let i = 0; i < 5; i++) await addSilent();
  const client = Deno.createHttpClient({ caCerts: [AUTHORITY] });
  const greet = async () => await (await fetch(`https://127.0.0.1:${port}/`, { client })).text();
  equal(await greet(), "hello");
  const ended = () => listener.closed.head + listener.closed.room;
  ok(ended() >= 3, "two made room for the fourth and fifth, one for the request");
  while (ended() < 5) await new Promise((resolve) => setTimeout(resolve, 20));
  await addSilent();
  equal(await greet(), "hello");
  client.close();
  await listener.stop(100);
  for (const conn of silent) conn.close();
});
