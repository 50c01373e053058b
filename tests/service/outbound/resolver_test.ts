import { deepEqual, equal, rejects } from "node:assert/strict";
import { createResolver } from "../../../lib/service/outbound/connect.ts";

Deno.test("names are looked up a few at a time, and each once however many ask for it", async () => {
  const asked: string[] = [];
  const answers = new Map<string, (found: string[] | Error) => void>();
  const resolve = createResolver((hostname) => {
    asked.push(hostname);
    return new Promise((done, fail) =>
      answers.set(hostname, (found) => found instanceof Error ? fail(found) : done(found))
    );
  }, 2);
  const [slow, same, other, third] = ["slow", "slow", "b", "c"].map((name) => resolve(name));
  deepEqual(asked, ["slow", "b"]);
  answers.get("b")?.(["10.0.0.2"]);
  deepEqual(await other, ["10.0.0.2"]);
  await new Promise((done) => setTimeout(done, 1));
  deepEqual(asked, ["slow", "b", "c"]);
  answers.get("slow")?.(new TypeError("no such name"));
  await Promise.all([slow, same].map((one) => rejects(one ?? Promise.resolve(), /no such name/)));
  answers.get("c")?.(["10.0.0.3"]);
  deepEqual(await third, ["10.0.0.3"]);
  const again = resolve("slow");
  equal(asked.length, 4, "a failure is not kept");
  answers.get("slow")?.(["10.0.0.1"]);
  deepEqual(await again, ["10.0.0.1"]);
});
