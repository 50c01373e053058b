import { deepEqual, equal, match } from "node:assert/strict";
import { announcing } from "../../../lib/cli/screen/waiting.ts";
import { linesOf } from "../../support/cli_fixture.ts";
import { openDesk } from "../../support/harness.ts";

/** What is said about requests that are answered once something was said, or at once. */
async function saidOf(watched: boolean, tries: number): Promise<string[]> {
  const said: string[] = [];
  let wake = () => {};
  const say = (text: string) => {
    said.push(text);
    wake();
  };
  const send = () =>
    new Promise<Response>((resolve) => {
      wake = () => resolve(new Response());
      // In a pipe the second wait is not announced, so it ends by itself.
      if (!watched && said.length > 0) wake();
    });
  const slow = announcing(send, { say, watched, afterMs: 1 });
  for (let i = 0; i < tries; i++) await slow(new Request("http://127.0.0.1:9/v2/x?secret=1"));
  return said;
}

Deno.test("a wait is announced with its try on a terminal, and once in a pipe", async () => {
  const first = "Waiting for http://127.0.0.1:9";
  deepEqual(await saidOf(true, 3), [first, `${first} (try 2)`, `${first} (try 3)`]);
  deepEqual(await saidOf(false, 3), [first]);
});

Deno.test("a request that is answered soon is not announced", async () => {
  const said: string[] = [];
  const quick = announcing(() => Promise.resolve(new Response()), {
    say: (text) => void said.push(text),
    watched: true,
  });
  await quick(new Request("http://127.0.0.1:9/"));
  deepEqual(said, []);
});

Deno.test("--timeout ends a whole command, and says so", async () => {
  // A request on the network is held by the system; here the test holds it.
  const held: Request[] = [];
  await using desk = await openDesk({
    // A sign-in that is being renewed is not cut off: its new tokens would be lost.
    intercept: (request, pass) =>
      request.url.includes("/oauth2/") ? pass(request) : new Promise((_, reject) => {
        held.push(request);
        // The time may be up before the sign-in is renewed. A network function rejects then, too.
        if (request.signal.aborted) reject(request.signal.reason);
        request.signal.addEventListener("abort", () => reject(request.signal.reason));
      }),
  });
  // Nothing else keeps the process alive: the network is not real, and the time limit waits for it.
  const awake = setInterval(() => {}, 1000);
  const { code, out, err } = await desk.run("offerings", "list", "--timeout", "20ms");
  clearInterval(awake);
  deepEqual([code, out], [8, ""]);
  deepEqual(linesOf(err), [
    "Cannot finish within 0.02 s: the time is up",
    "Give it more time with a larger --timeout. See what is slow with: cli doctor",
  ]);
  for (
    const [text, why] of [["0", "it is not a time"], ["5x", "it is not a time"], [
      "999999h",
      "it is more than 24 days",
    ]]
  ) {
    const wrong = await desk.run("offerings", "list", "--timeout", text ?? "");
    equal(wrong.code, 2);
    match(wrong.err, new RegExp(`^Cannot use "${text}" for --timeout: ${why}\n`));
  }
});
