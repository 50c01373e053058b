import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { withLiveLine } from "../../../lib/cli/screen/live_line.ts";
import { announcing, countingDown } from "../../../lib/cli/screen/waiting.ts";
import { Cancelled } from "../../../lib/errors.ts";
import { linesOf } from "../../support/cli_fixture.ts";
import { openDesk, type Ran } from "../../support/harness.ts";
import { refused } from "../../support/wire.ts";

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
      wake = () => resolve(new Response(null, { status: 503 }));
      // In a pipe the second wait is not announced, so it ends by itself.
      if (!watched && said.length > 0) wake();
    });
  const slow = announcing(send, { say, watched, afterMs: 1 });
  for (let i = 0; i < tries; i++) await slow(new Request("http://127.0.0.1:9/v2/x?secret=1"));
  return said;
}

Deno.test("a wait is announced with its attempt on a terminal, and once in a pipe", async () => {
  const first = "Waiting for http://127.0.0.1:9";
  deepEqual(await saidOf(true, 3), [first, `${first} (try 2)`, `${first} (try 3)`]);
  deepEqual(await saidOf(false, 3), [first]);
});

Deno.test("a request after a success is not another try of it", async () => {
  const said: string[] = [];
  const answers = [200, 200, 503, 200, 200];
  const send = async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return new Response(null, { status: answers.shift() ?? 200 });
  };
  const waits = { announced: true };
  const say = (text: string) => void said.push(text);
  const slow = announcing(send, { say, watched: true, afterMs: 1, waits });
  for (let i = 0; i < 5; i++) await slow(new Request("http://127.0.0.1:9/progress"));
  const first = "Waiting for http://127.0.0.1:9";
  deepEqual(said, [first, first, first, `${first} (try 2)`, first]);
  waits.announced = false;
  await slow(new Request("http://127.0.0.1:9/progress"));
  deepEqual(said.length, 5, "a command with its own progress is not interrupted");
});

Deno.test("a request with a quick answer is not announced", async () => {
  const said: string[] = [];
  const quick = announcing(() => Promise.resolve(new Response()), {
    say: (text) => void said.push(text),
    watched: true,
  });
  await quick(new Request("http://127.0.0.1:9/"));
  deepEqual(said, []);
});

/** What a list of apps says and shows where the service limits its first request. */
async function limitedOnce(errColumns?: number): Promise<Ran> {
  let limited = true;
  await using desk = await openDesk({
    ...errColumns !== undefined && { errColumns },
    intercept: async (request, pass) => {
      if (!limited || !request.url.includes("/apps")) return await pass(request);
      limited = false;
      return refused(429, {}, { "Retry-After": "3" });
    },
  });
  return await desk.run("apps", "list");
}

Deno.test("the seconds left of a limit are counted down on a terminal", async () => {
  const { code, err } = await limitedOnce(80);
  equal(code, 0);
  const shown = err.split("\r").filter((text) => text.trim() !== "");
  const wanted = [4, 3, 2, 1].map((left) =>
    `The rate limit of the service is reached; retrying in ${left} s`
  );
  // The wait is up to a tenth of a second longer than asked for.
  deepEqual(shown, wanted);
  // The line is gone in the end.
  match(err, /\r +\r$/);
});

Deno.test("the seconds left of a limit are one line in a pipe", async () => {
  const { err } = await limitedOnce();
  match(err, /^Warning: The rate limit of the service is reached; retrying in 4 s\n$/);
});

Deno.test("a line that changes in place is removed before any other text", () => {
  const written: string[] = [];
  const write = (text: string) => void written.push(text);
  const terminal = withLiveLine({
    writeOut: write,
    writeErr: write,
    outColumns: 80,
    errColumns: 10,
    outColor: false,
    errColor: false,
  });
  terminal.live?.("wait 10 s");
  terminal.live?.("wait 9 s");
  terminal.writeErr("note\n");
  terminal.live?.("a text that is far too long");
  terminal.writeOut("row\n");
  terminal.writeOut("row\n");
  deepEqual(written, [
    "\rwait 10 s",
    `\r${" ".repeat(9)}\r`,
    "\rwait 9 s",
    `\r${" ".repeat(8)}\r`,
    "note\n",
    "\ra text t…",
    `\r${" ".repeat(9)}\r`,
    "row\n",
    "row\n",
  ]);
});

Deno.test("a stopped wait removes its countdown", async () => {
  const shown: string[] = [];
  const stopped = () => Promise.reject(new Cancelled("Stopped"));
  const { announceWait, pause } = countingDown((text) => void shown.push(text), stopped);
  announceWait((seconds) => `${seconds} s`);
  await rejects(pause(2000, undefined), Cancelled);
  deepEqual(shown, ["2 s", ""]);
});

Deno.test("--timeout ends a whole command, and reports it", async () => {
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
    "Cannot finish within 0.02 s: the time limit has passed",
    "Pass a larger --timeout, or look for the cause with: cli doctor",
  ]);
  for (
    const [text, why] of [
      ["0", "it must be longer than zero"],
      ["0m", "it must be longer than zero"],
      ["5x", "it is not a duration"],
      [
        "999999h",
        "it is more than 24 days",
      ],
    ]
  ) {
    const wrong = await desk.run("offerings", "list", "--timeout", text ?? "");
    equal(wrong.code, 2);
    match(wrong.err, new RegExp(`^Cannot use "${text}" for --timeout: ${why}\n`));
  }
});

Deno.test("--timeout ends a command that waits at a silent token endpoint", async () => {
  await using desk = await openDesk({
    intercept: (request) =>
      new Promise((_, reject) => {
        request.signal.addEventListener("abort", () => reject(request.signal.reason));
      }),
  });
  const awake = setInterval(() => {}, 1000);
  const { code, err } = await desk.run("offerings", "list", "--timeout", "20ms");
  clearInterval(awake);
  equal(code, 8);
  match(err, /Cannot finish within 0\.02 s: the time limit has passed/);
});
