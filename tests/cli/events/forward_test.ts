import { deepEqual, equal, match, ok } from "node:assert/strict";
import { type Answer, forwardEvent, type Target } from "../../../lib/cli/events/forward.ts";
import { systemSurroundings } from "../../../lib/connect.ts";
import { TLS } from "../../support/internet.ts";

const EVENT = {
  object: "event" as const,
  created_at: 0,
  id: "e1",
  type: "RENEWAL",
  customer_id: "ada",
  payload: "{}",
};

/** A receiver and what it says. */
interface Receiver {
  /** The bytes that it sends. */
  says: string;
  /** Whether it waits for the other side to end the connection. Default: it ends it itself. */
  stays?: boolean;
  /** Whether it speaks TLS. */
  tls: boolean;
}

/** Forwards an event to a receiver. */
async function forwardTo(receiver: Receiver, target: Partial<Target> = {}): Promise<Answer> {
  const where = { hostname: "127.0.0.1", port: 0 };
  using listener = receiver.tls ? Deno.listenTls({ ...where, ...TLS }) : Deno.listen(where);
  // A client that speaks something else leaves in the middle.
  const served = serveOnce(listener, receiver).catch(() => {});
  const context = { around: systemSurroundings(), signal: new AbortController().signal };
  const url = new URL(`${receiver.tls ? "https" : "http"}://127.0.0.1:${listener.addr.port}/`);
  if (target.url) target.url.port = url.port;
  const whole: Target = { url, insecure: receiver.tls, ...target };
  const answer = await forwardEvent(context, whole, EVENT, `whsec_${"A".repeat(32)}`);
  await served;
  return answer;
}

async function serveOnce(
  listener: Deno.TcpListener | Deno.TlsListener,
  { says, stays = false }: Receiver,
): Promise<void> {
  using connection = await listener.accept();
  const bytes = new Uint8Array(9999);
  await connection.read(bytes);
  await connection.write(new TextEncoder().encode(says));
  while (stays && await connection.read(bytes) !== null);
}

const head = (status: string, length: number) =>
  `HTTP/1.1 ${status}\r\nContent-Length: ${length}\r\n\r\n`;

Deno.test("a program's answer is judged like a webhook's answer", async () => {
  const said: [says: string, status: number | null, error: string | null][] = [
    [`${head("200 OK", 3)}yes`, 200, null],
    [`${head("200 OK", 30)}yes`, 200, "it closed the connection during its response"],
    [
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nyes\r\n",
      200,
      "it closed the connection during its response",
    ],
    // Nobody reads so much, so nobody knows that it is not whole.
    [`${head("200 OK", 90_000)}${"y".repeat(60_000)}`, 200, null],
    [head("201 Created", 0), 201, "it answers 201"],
    ["HTTP/1.1 204 No Content\r\n\r\n", 204, "it answers 204"],
    [
      "HTTP/1.1 307 Temporary Redirect\r\nLocation: /\r\nContent-Length: 0\r\n\r\n",
      307,
      "it answers 307; redirects are not followed",
    ],
    [head("500 No", 0), 500, "it answers 500"],
    ["", null, "it closed the connection without a response"],
    [
      "hello\r\n\r\n",
      null,
      "it does not speak HTTP; if it speaks TLS, begin the address with https://",
    ],
  ];
  for (const tls of [false, true]) {
    for (const [says, status, error] of said) {
      const answer = await forwardTo({ says, tls });
      const label = `${tls ? "https" : "http"}: ${says.slice(0, 99)}`;
      equal(answer.error, error, label);
      equal(answer.status, status, label);
    }
  }
});

Deno.test("the wait that a program asks for is read, also with any certificate", async () => {
  for (const tls of [false, true]) {
    const busy = "HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n";
    equal((await forwardTo({ says: busy, tls })).retryAfterMs, 7000, `tls: ${tls}`);
    equal((await forwardTo({ says: head("503 Busy", 0), tls })).retryAfterMs, undefined);
  }
});

Deno.test("a program that never finishes its answer has not accepted the event", async () => {
  for (const tls of [false, true]) {
    const drips = { says: `${head("200 OK", 30)}yes`, stays: true, tls };
    const { error } = await forwardTo(drips, { longestMs: 100 });
    equal(error, "it did not finish its answer within 0.1 s");
  }
});

Deno.test("a program with another protocol than the address gets its own error", async () => {
  const url = () => new URL("https://127.0.0.1/");
  for (const insecure of [false, true]) {
    const plain = await forwardTo({ says: "HTTP/1.1 400 No\r\n\r\n", tls: false }, {
      url: url(),
      insecure,
    });
    equal(plain.error, "it does not speak TLS; begin the address with http://");
  }
  const encrypted = { says: "", tls: true };
  const { error } = await forwardTo(encrypted, { url: new URL("http://127.0.0.1/") });
  match(error ?? "", /^it does not speak HTTP; if it speaks TLS, begin the address with https:/);
  const unknown = await forwardTo(encrypted, { url: url(), insecure: false });
  ok(unknown.error?.startsWith("its certificate is not trusted"), String(unknown.error));
});

Deno.test("localhost reaches a program that listens on one of its two addresses", async () => {
  for (const hostname of ["127.0.0.1", "::1"]) {
    for (const tls of [false, true]) {
      const where = { hostname, port: 0 };
      using listener = tls ? Deno.listenTls({ ...where, ...TLS }) : Deno.listen(where);
      const served = serveOnce(listener, { says: head("200 OK", 0), tls });
      const context = { around: systemSurroundings(), signal: new AbortController().signal };
      const url = new URL(`${tls ? "https" : "http"}://localhost:${listener.addr.port}/hook`);
      const target = { url, insecure: tls };
      const answer = await forwardEvent(context, target, EVENT, `whsec_${"A".repeat(32)}`);
      equal(answer.error, null, `${url.protocol} ${hostname}`);
      await served;
    }
  }
});

Deno.test("an event is sent to the other address of localhost only if nothing listens at the first", async () => {
  const context = (failure: string, sent: string[]) => ({
    around: {
      ...systemSurroundings(),
      fetch: (request: Request) => {
        sent.push(new URL(request.url).hostname);
        return Promise.reject(new TypeError(failure));
      },
    },
    signal: new AbortController().signal,
  });
  for (
    const [failure, hosts] of [
      ["connection reset by peer", ["localhost"]],
      ["connection refused", ["localhost", "127.0.0.1", "[::1]"]],
    ] as const
  ) {
    const sent: string[] = [];
    const target = { url: new URL("http://localhost:3000/hook"), insecure: false };
    const answer = await forwardEvent(context(failure, sent), target, EVENT, "whsec_AAAA");
    deepEqual(sent, hosts);
    equal(answer.status, null);
  }
});
