import { deepEqual, equal, match } from "node:assert/strict";
import { Cancelled } from "../../../lib/errors.ts";
import { openDesk } from "../../support/harness.ts";

/** Waits so many times; then the person presses Ctrl-C. */
function stopAfter(times: number, between: (time: number) => void = () => {}) {
  let time = 0;
  return (ms: number) => {
    equal(ms, 5000);
    if (++time > times) return Promise.reject(new Cancelled("Stopped"));
    between(time);
    return Promise.resolve();
  };
}

Deno.test("--watch in a pipe prints a list again only when it has changed", async () => {
  let name = "One";
  await using desk = await openDesk({
    pause: stopAfter(3, (time) => void (name = time < 3 ? "One" : "Two")),
    intercept: (request, pass) =>
      new URL(request.url).pathname === "/v2/projects"
        ? Promise.resolve(
          new Response(`{"object":"list","items":[{"id":"p","name":"${name}"}],"next_page":null}`),
        )
        : pass(request),
  });
  const { out, err } = await desk.run("projects", "list", "--watch", "5", "--fields", "name");
  deepEqual([out, err], ["NAME\nOne\nNAME\nTwo\n", ""]);
});

Deno.test("--watch on a terminal draws in the same place and keeps the last output on a failure", async () => {
  let fails = false;
  await using desk = await openDesk({
    columns: 40,
    errColumns: 40,
    pause: stopAfter(2, (time) => void (fails = time === 2)),
    intercept: (request, pass) =>
      fails
        ? Promise.resolve(Response.json({ type: "x", message: "Gone" }, { status: 404 }))
        : pass(request),
  });
  const { out } = await desk.run("offerings", "view", "default", "--watch=5s", "--fields", "state");
  const frame = "state  active\n";
  match(out, /^state {2}active\n/);
  equal(out.slice(0, frame.length * 2 + 7), `${frame}\x1b[1F\x1b[J${frame}`);
  equal(out.slice(frame.length * 2 + 7), `\x1b[1F\x1b[J${frame}Gone\n`);
});

Deno.test("--watch ends with the first failure when nothing was shown before", async () => {
  await using desk = await openDesk();
  const { code, err } = await desk.run("offerings", "view", "nothing", "--watch");
  equal(code, 5);
  match(err, /^Cannot /);
});

Deno.test("--watch refuses commands that write, and invalid times", async () => {
  await using desk = await openDesk();
  const { code, err } = await desk.run("offerings", "archive", "default", "--watch");
  deepEqual([code, desk.sent], [2, []]);
  match(err, /^Cannot watch cli offerings archive: it changes something\n/);
  match(
    (await desk.run("offerings", "list", "--watch=often")).err,
    /it is not a number of seconds\n/,
  );
});

Deno.test("--watch accepts cli api with GET only", async () => {
  await using desk = await openDesk({ pause: stopAfter(1) });
  const shown = await desk.run(
    "api",
    "-f",
    "limit=1",
    "get",
    "/offerings",
    "--watch=5",
    "--fields",
  );
  deepEqual([shown.code, shown.err], [0, ""]);
  match(shown.out, /^object\nid\nlookup_key\n/);
  desk.sent.length = 0;
  for (
    const words of [
      ["DELETE", "/offerings/GET"],
      ["--body", "GET", "POST", "/offerings"],
      ["-f", "GET", "POST", "/offerings"],
      ["--unknown", "GET", "POST", "/offerings"],
    ]
  ) {
    const { code, err } = await desk.run("api", ...words, "--watch=5");
    equal(code, 2, words.join(" "));
    if (!words.includes("--unknown")) match(err, /^Cannot watch cli api: it changes something\n/);
  }
  deepEqual(desk.sent, []);
});
