/** TLS to a database on a server. Runs with `TEST_ENGINE=postgres`, and is skipped by name otherwise. */

import { deepEqual, equal, match, ok } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import { ConfigError } from "../../../../lib/errors.ts";
import { openDatabase } from "../../../../lib/service/store/mod.ts";
import { AUTHORITY } from "../../../support/certificate.ts";
import {
  addressOf,
  createDatabase,
  createNamedDatabase,
  dropDatabase,
  ONLY_POSTGRES,
} from "../../../support/engine.ts";
import { inFolder } from "../../../support/store_fixture.ts";

/** Another authority, which signed nothing of the server. */
const STRANGER = fileURLToPath(import.meta.resolve("../../../tls/ca.pem"));

/** Runs a test with an empty database and the certificate of the server's authority. */
async function withAuthority(
  test: (
    at: (host: string, parameters: string, port?: number) => string,
    ca: string,
  ) => Promise<void>,
): Promise<void> {
  const name = await createDatabase();
  try {
    await inFolder(async (folder) => {
      const ca = join(folder, "ca.pem");
      await Deno.writeTextFile(ca, AUTHORITY);
      await test((host, parameters, port) => {
        const url = new URL(addressOf(name));
        [url.hostname, url.search, url.password] = [host, parameters, "hidden"];
        if (port !== undefined) url.port = String(port);
        return url.href;
      }, ca);
    });
  } finally {
    await dropDatabase(name);
  }
}

/** Whether the connections to an address are encrypted. */
async function isEncrypted(file: string): Promise<boolean> {
  const store = await openDatabase({ file });
  try {
    const { rows: [row] } = await store.read((tx) =>
      sql<{ ssl: number }>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`.execute(tx)
    );
    return row?.ssl === 1;
  } finally {
    await store.close();
  }
}

/** Fails unless an address is refused with this message, and without the password. */
async function refused(file: string, message: RegExp): Promise<void> {
  const error = await openDatabase({ file }).then((store) => store.close(), (thrown) => thrown);
  ok(error instanceof ConfigError, String(error));
  match(error.message, /^Cannot (open|use) the database "postgres:/);
  match(error.message, message);
  if (!/cannot read|pg_hba/.test(error.message)) match(error.hint ?? "", /sslrootcert=FILE$/);
  equal(`${error.message} ${error.hint} ${error.cause}`.includes("hidden"), false);
}

/** Passes bytes on from another address of this machine to the server. */
function forward(hostname: string, port: number): Disposable & { port: number } {
  const listener = Deno.listen({ hostname, port: 0 });
  const pass = async (from: Deno.TcpConn) => {
    const to = await Deno.connect({ hostname: "127.0.0.1", port });
    const ways = [from.readable.pipeTo(to.writable), to.readable.pipeTo(from.writable)];
    await Promise.allSettled(ways);
  };
  (async () => {
    for await (const from of listener) pass(from).catch(() => {});
  })().catch(() => {});
  return { port: listener.addr.port, [Symbol.dispose]: () => listener.close() };
}

Deno.test(
  "verify-full accepts the server's own authority, by name and by address",
  ONLY_POSTGRES,
  () =>
    withAuthority(async (at, ca) => {
      for (const host of ["localhost", "127.0.0.1"]) {
        equal(await isEncrypted(at(host, `sslmode=verify-full&sslrootcert=${ca}`)), true, host);
        equal(
          await isEncrypted(at(host, `sslrootcert=${ca}`)),
          true,
          "an authority alone means that",
        );
      }
    }),
);

Deno.test(
  "verify-full refuses a server of another authority, or of none that is known",
  ONLY_POSTGRES,
  () =>
    withAuthority(async (at) => {
      await refused(at("localhost", `sslmode=verify-full&sslrootcert=${STRANGER}`), /certificate/i);
      await refused(at("localhost", "sslmode=verify-full"), /certificate/i);
      await refused(at("localhost", "sslmode=verify-full&sslrootcert=/none.pem"), /cannot read/);
    }),
);

Deno.test(
  "verify-full refuses a certificate for another host",
  ONLY_POSTGRES,
  () =>
    withAuthority(async (at, ca) => {
      const { port } = new URL(addressOf("postgres"));
      using other = forward("127.0.0.2", Number(port));
      const address = at("127.0.0.2", `sslmode=verify-full&sslrootcert=${ca}`, other.port);
      await refused(address, /certificate.*127\.0\.0\.2|127\.0\.0\.2.*certificate/i);
      // The way there is open.
      equal(await isEncrypted(at("127.0.0.2", "sslmode=require", other.port)), true);
    }),
);

Deno.test(
  "require encrypts, and checks no certificate",
  ONLY_POSTGRES,
  () =>
    withAuthority(async (at) => {
      equal(await isEncrypted(at("localhost", "sslmode=require")), true);
      equal(await isEncrypted(at("localhost", "sslmode=disable")), false);
      equal(await isEncrypted(at("localhost", "")), false);
    }),
);

Deno.test(
  "a server without TLS is refused when TLS is asked for",
  ONLY_POSTGRES,
  () =>
    withAuthority(async (at, ca) => {
      const asked: number[][] = [];
      using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
      (async () => {
        for await (const connection of listener) {
          const bytes = new Uint8Array(64);
          const count = await connection.read(bytes) ?? 0;
          asked.push([...bytes.subarray(0, count)]);
          await connection.write(new TextEncoder().encode("N"));
          await connection.read(bytes).catch(() => null);
          connection.close();
        }
      })().catch(() => {});
      for (const mode of ["require", `verify-full&sslrootcert=${ca}`]) {
        const address = at("127.0.0.1", `sslmode=${mode}`, listener.addr.port);
        await refused(address, /server does not support SSL/);
      }
      // The request for TLS, and nothing after it: no name and no password.
      const request = [0, 0, 0, 8, 4, 210, 22, 47];
      deepEqual(asked, [request, request]);
    }),
);

Deno.test(
  "a database for encrypted connections alone takes no others",
  ONLY_POSTGRES,
  () =>
    inFolder(async (folder) => {
      const ca = join(folder, "ca.pem");
      await Deno.writeTextFile(ca, AUTHORITY);
      await createNamedDatabase("only_tls");
      try {
        const url = new URL(addressOf("only_tls"));
        url.password = "hidden";
        await refused(url.href, /no encryption|rejects connection/);
        url.search = `sslmode=verify-full&sslrootcert=${ca}`;
        equal(await isEncrypted(url.href), true);
      } finally {
        await dropDatabase("only_tls");
      }
    }),
);
