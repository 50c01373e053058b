import { doesNotThrow, equal, throws } from "node:assert/strict";
import {
  checkExposure,
  type Exposure,
  isLocalHost,
  needsSignIn,
  usualDrain,
} from "../../../lib/service/http/exposure.ts";

const LAPTOP: Exposure = { host: "127.0.0.1", engine: "sqlite", proxies: [] };
const NOTHING = { signIn: false, tls: false };

Deno.test("only addresses of this machine are loopback", () => {
  for (const host of ["127.0.0.1", "127.8.9.10", "localhost", "LOCALHOST", "::1", "[::1]"]) {
    equal(isLocalHost(host), true, host);
  }
  for (
    const host of ["0.0.0.0", "::", "192.168.1.5", "127.evil.example", "localhost.example", ""]
  ) {
    equal(isLocalHost(host), false, host);
  }
});

Deno.test("other hosts, PostgreSQL and proxies need a sign-in, a laptop needs none", () => {
  equal(needsSignIn(LAPTOP), false);
  equal(needsSignIn({ ...LAPTOP, host: "0.0.0.0" }), true);
  equal(needsSignIn({ ...LAPTOP, engine: "postgres" }), true);
  equal(needsSignIn({ ...LAPTOP, proxies: ["127.0.0.1"] }), true);
});

Deno.test("a service drains where a balancer can be", () => {
  equal(usualDrain(LAPTOP), 0);
  equal(usualDrain({ ...LAPTOP, host: "0.0.0.0" }), 5);
  equal(usualDrain({ ...LAPTOP, proxies: ["127.0.0.1"] }), 5);
});

Deno.test("a service that others reach starts with a sign-in and with TLS or a proxy only", () => {
  const open = { ...LAPTOP, host: "0.0.0.0" };
  const refused = (
    exposure: Exposure,
    protection: typeof NOTHING & { publicUrl?: string },
    message: RegExp,
    name = "ConfigError",
  ) => throws(() => checkExposure(exposure, protection), { name, message });
  refused(open, NOTHING, /^Cannot listen on 0\.0\.0\.0: other machines can reach .* no password$/);
  refused(open, { signIn: false, tls: true }, /no password$/);
  refused(open, { signIn: true, tls: false }, /without TLS, others on the network can read/);
  refused(
    { ...LAPTOP, engine: "postgres" },
    NOTHING,
    /^Cannot start the service on PostgreSQL: others may share its data, and it asks for no password$/,
  );
  refused({ ...LAPTOP, proxies: ["::1"] }, NOTHING, /^Cannot start the service behind a proxy: /);
  doesNotThrow(() => checkExposure(open, { signIn: true, tls: true }));
  doesNotThrow(() =>
    checkExposure({ ...open, proxies: ["10.0.0.1"] }, { signIn: true, tls: false })
  );
  doesNotThrow(() =>
    checkExposure({ ...LAPTOP, engine: "postgres" }, { signIn: true, tls: false })
  );
  doesNotThrow(() => checkExposure(LAPTOP, NOTHING));
  doesNotThrow(() => checkExposure(LAPTOP, { ...NOTHING, publicUrl: "http://localhost:4010" }));
  const plain = { signIn: true, tls: true, publicUrl: "http://subs.example.com" };
  refused(
    open,
    plain,
    /^Cannot use the public address "http:.*": where people must sign in, it must be https$/,
    "UsageError",
  );
});

Deno.test("a refused start names the flags that it lacks", () => {
  const open = { ...LAPTOP, host: "0.0.0.0" };
  throws(() => checkExposure(open, NOTHING), {
    hint: "Add --sign-in password, or --sign-in oidc=ISSUER for an OpenID Connect provider. " +
      "docs/operating.md shows each step.",
  });
  throws(() => checkExposure(open, { signIn: true, tls: false }), {
    message:
      "Cannot listen on 0.0.0.0: without TLS, others on the network can read passwords and tokens",
    hint: "Add --tls-cert FILE and --tls-key FILE, or put a proxy with TLS in front of it and " +
      "add --trust-proxy ADDRESS. docs/operating.md shows each step.",
  });
  const publicUrl = "http://subs.example.com";
  throws(() => checkExposure(open, { signIn: true, tls: true, publicUrl }), {
    hint: "Pass the https address of the proxy or of the service as --public-url.",
  });
});
