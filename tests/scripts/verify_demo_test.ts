import { deepEqual, equal, match, ok } from "node:assert/strict";
import { cacheFolder } from "../support/cache_folder.ts";

const ROOT = new URL("../../", import.meta.url);

/** What a newcomer waits for at most, in milliseconds. */
const PATIENCE_MS = 20_000;

Deno.test("the command in README finds a fault of the example in less than 20 seconds", async () => {
  const readme = await Deno.readTextFile(new URL("README.md", ROOT));
  const [line = "", , task = ""] = /^(npx -y deno@\S+) (task -q demo:verify)$/m.exec(readme) ?? [];
  ok(line, "README has no such line");
  const temporary = await Deno.makeTempDir({ prefix: "verify-demo" });
  const started = performance.now();
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: task.split(" "),
    cwd: ROOT,
    clearEnv: true,
    env: {
      PATH: Deno.env.get("PATH") ?? "",
      HOME: Deno.env.get("HOME") ?? "",
      DENO_DIR: await cacheFolder(),
      TMPDIR: temporary,
      TEMP: temporary,
      NO_COLOR: "1",
    },
  }).output();
  const took = performance.now() - started;
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  equal(code, 0, err);
  match(out ?? "", /^ {2}ada has access at the handler, and must not have it$/m);
  match(err ?? "", /Cannot pass: the handler has a fault, the first found in history \d+/);
  // The handler of the demonstration has ended, and its file is gone.
  match(
    err ?? "",
    /^For your own handler, set CLI_WEBHOOK_SECRET to its secret, and run: cli verify /m,
  );
  ok(!`${out}${err}`.includes("cli scenario run"), err);
  const left = await Array.fromAsync(Deno.readDir(temporary), ({ name }) => name);
  await Deno.remove(temporary, { recursive: true });
  deepEqual(left, []);
  ok(took < PATIENCE_MS, `it took ${Math.round(took)} ms`);
});
