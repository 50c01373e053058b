import { deepEqual, equal, match } from "node:assert/strict";
import { openDesk } from "../../support/harness.ts";

Deno.test("cli version asks for a newer version only with --check", async () => {
  let tag: unknown = "v99.0.0";
  await using desk = await openDesk({
    intercept: (request, pass) =>
      request.url.startsWith("https://releases.example/")
        ? Promise.resolve(Response.json({ tag_name: tag }))
        : pass(request),
  });
  const unset = await desk.run("version", "--check");
  equal(unset.code, 1);
  match(unset.err, /no address of releases is set\nSet CLI_RELEASES_URL/);
  desk.env["CLI_RELEASES_URL"] = "https://releases.example/latest";
  equal((await desk.run("version")).err, "");
  equal((await desk.run("version", "--check")).err, "Version 99.0.0 is out.\n");
  tag = "0.0.9";
  equal((await desk.run("version", "--check")).err, "This is the newest version.\n");
  const { json } = await desk.run("version", "--check", "--output", "json");
  const { latest, is_newest } = json() as Record<string, unknown>;
  deepEqual({ latest, is_newest }, { latest: "0.0.9", is_newest: true });
  tag = "nightly";
  const { code, err } = await desk.run("version", "--check");
  equal(code, 8);
  match(
    err,
    /^Cannot look for a newer version at https:\/\/releases\.example: its answer names no/,
  );
  deepEqual(desk.sent, []);
});

Deno.test("cli version --check says in a sentence why an address gives no version", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const closed = `http://127.0.0.1:${listener.addr.port}`;
  listener.close();
  let answer = (_: Request) => Promise.resolve(new Response("nothing"));
  await using desk = await openDesk({
    intercept: (request, pass) => request.url.includes("/v2/") ? pass(request) : answer(request),
  });
  desk.env["CLI_RELEASES_URL"] = `${closed}/latest`;
  const said = async () => {
    const { code, err } = await desk.run("version", "--check");
    equal(code, 8);
    return err.split("\n", 1)[0]?.replace(`Cannot look for a newer version at ${closed}: `, "");
  };
  equal(await said(), "its answer is not JSON");
  answer = () => Promise.resolve(new Response("", { status: 404 }));
  equal(await said(), "it answered with status 404");
  answer = (request) => fetch(request);
  equal(await said(), "the connection was refused");
  answer = () => fetch("http://127.0.0.1:9/");
  equal(await said(), "its port is reserved for another protocol");
  answer = () => Promise.reject(new DOMException("Signal timed out", "TimeoutError"));
  equal(await said(), "it did not answer in time");
});
