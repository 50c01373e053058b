import { equal, match, ok, rejects } from "node:assert/strict";
import { createClient } from "../lib/client.ts";
import { NetworkError } from "../lib/errors.ts";
import { path } from "../lib/path.ts";
import { unreachable } from "../lib/retry.ts";
import { networkFailure, NOWHERE, openWire } from "./support/wire.ts";

/** The platform's message of a failure, the address, and our message. */
const FAILURES: [why: string, baseUrl: string, says: RegExp, hint: RegExp][] = [
  ["Connection refused (os error 111)", NOWHERE, /: the connection was refused$/, /HTTPS_PROXY/],
  [
    "actively refused it. (os error 10061)",
    "http://127.0.0.1:4010",
    /refused$/,
    /cli service start$/,
  ],
  [
    "Connection refused",
    "http://localhost:4999",
    /refused$/,
    /cli service start --port 4999, and with the same --data or CLI_SERVICE_DATABASE as before$/,
  ],
  [
    "Connection refused",
    "http://[::1]",
    /refused$/,
    /cli service start --port 80, and with the same --data or CLI_SERVICE_DATABASE as before$/,
  ],
  ["connection closed before message completed", NOWHERE, /: the connection broke/, /network/],
  ["connection reset by peer", "http://127.0.0.1:4010", /broke/, /cli service status$/],
  [
    "dns error: failed to lookup address information",
    NOWHERE,
    /: its host name is unknown$/,
    /BASE_URL/,
  ],
  ["invalid peer certificate: UnknownIssuer", NOWHERE, /: invalid peer cert/, /DENO_CERT/],
  ["received corrupt message of type InvalidContentType", NOWHERE, /use HTTPS$/, /http:/],
  [
    "proxy authentication required",
    NOWHERE,
    /: proxy authentication/,
    /HTTP_PROXY.*ALL_PROXY.*NO_PROXY/,
  ],
  ["something new", NOWHERE, /: something new$/, /CLI_BASE_URL/],
];

/** The same for messages of Node and Bun. */
const OTHER_FAILURES: typeof FAILURES = [
  ["other side closed", NOWHERE, /: the connection broke/, /network/],
  ["read ECONNRESET", NOWHERE, /: the connection broke/, /network/],
  ["ECONNRESET: The socket connection was closed unexpectedly.", NOWHERE, /broke/, /network/],
  [
    "bad port",
    "http://127.0.0.1:6000",
    /: its port is reserved for another protocol$/,
    /another port/,
  ],
  ["getaddrinfo ENOTFOUND proxy.example", NOWHERE, /: its host name is unknown$/, /BASE_URL/],
  ["getaddrinfo EAI_AGAIN service.example", NOWHERE, /: its host name is unknown$/, /BASE_URL/],
  ["Connect Timeout Error", NOWHERE, /: it did not answer in time$/, /network/],
  ["connect EHOSTUNREACH 192.0.2.1:80", NOWHERE, /: no network leads to it$/, /network/],
  ["unable to verify the first certificate", NOWHERE, /an unknown CA$/, /NODE_EXTRA_CA_CERTS/],
  [
    "C05:error:0A00010B:SSL routines:tls_validate_record_header:wrong version number:a.c:77:\n",
    "https://127.0.0.1:4010",
    /: it does not use HTTPS$/,
    /begins with http:\/\/ instead\.$/,
  ],
  [
    "C05:error:0A00042E:SSL routines:ssl3_read_bytes:tlsv1 alert protocol version:a.c:918:\n",
    "https://127.0.0.1:4010",
    /: the TLS handshake failed$/,
    /TLS 1\.2 or later/,
  ],
  ["EPROTO: The TLS handshake failed.", NOWHERE, /: the TLS handshake failed$/, /TLS 1\.2/],
  ["Client network socket disconnected before secure TLS connection", NOWHERE, /TLS/, /TLS 1\.2/],
  ["Response does not match the HTTP/1.1 protocol", NOWHERE, /: its answer is not HTTP$/, /https:/],
];

Deno.test("a network failure names its cause and the setting to check", async () => {
  const sending = (baseUrl: string) =>
    `error sending request for url (${baseUrl}/x): client error (Connect): `;
  const rows = [
    ...FAILURES.map((row) => [sending(row[1]) + row[0], ...row] as const),
    ...OTHER_FAILURES.map((row) => [row[0], ...row] as const),
  ];
  for (const [message, why, baseUrl, says, hint] of rows) {
    const { client } = openWire([networkFailure(message)], { baseUrl, retries: 0 });
    await rejects(client.get(path`/offerings`), (error) => {
      ok(error instanceof NetworkError, why);
      ok(error.message.startsWith(`Cannot reach ${baseUrl}: `), error.message);
      match(error.message, says);
      match(error.hint ?? "", hint);
      return true;
    });
  }
});

Deno.test("a failure without a message is known by its code", () => {
  const error = Object.assign(new AggregateError([]), { code: "ECONNREFUSED" });
  const failed = unreachable(
    new TypeError("fetch failed", { cause: error }),
    "http://localhost:4010",
  );
  match(failed.message, /: the connection was refused$/);
  match(failed.hint ?? "", /cli service start$/);
});

Deno.test("an answer that cannot be decompressed is damaged, on Deno, Node and Bun", async () => {
  const damaged = [
    "unexpected end of file",
    "Invalid gzip header",
    "brotli error",
    "incorrect header check",
    "incorrect data check",
    "invalid stored block lengths",
    "Decompression failed",
    `ZlibError fetching "${NOWHERE}/". For more information, pass verbose`,
  ];
  for (const why of damaged) {
    const { message, hint } = unreachable(networkFailure(why), `${NOWHERE}/v2/x`);
    equal(message, `Cannot read the answer of ${NOWHERE}/v2/x: it is damaged`);
    match(hint ?? "", /no proxy answers for it/);
  }
  const headers = { "Content-Encoding": "gzip" };
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => new Response("no gzip at all", { headers }),
  );
  const baseUrl = `http://127.0.0.1:${server.addr.port}`;
  const client = createClient({ baseUrl, retries: 0 });
  await rejects(client.get(path`/v2/x`), /^NetworkError: Cannot read the answer.*: it is damaged$/);
});
