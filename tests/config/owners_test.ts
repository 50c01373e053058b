import { match, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { readLocal } from "../../lib/config/local.ts";
import { openHome } from "../support/home_fixture.ts";

/** A user who owns nothing here. */
const STRANGER = 4242;

Deno.test({
  name: "a folder's file that belongs to another user is refused",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    await using at = await openHome();
    const file = join(at.cwd, ".cli", "config.json");
    await Deno.mkdir(join(at.cwd, ".cli"), { mode: 0o700 });
    await Deno.writeTextFile(file, '{ "project_id": "proj1" }', { mode: 0o600 });
    const user = (await Deno.stat(file)).uid ?? 0;
    const read = (userId: number) => readLocal({ ...at.around(), userId }).catch(String);
    const of = async (userId: number) => {
      const found = await read(userId);
      return typeof found === "object" ? found.project_id ?? "" : found ?? "";
    };
    strictEqual(await of(user), "proj1");
    if (user === 0) {
      // Files of the system are trusted.
      strictEqual(await of(STRANGER), "proj1");
      await Deno.chown(file, 1000, 1000);
    }
    match(
      await of(STRANGER),
      /ConfigError: Cannot use ".*config\.json": it belongs to another user/,
    );
    match(await of(user === 0 ? 0 : STRANGER), /it belongs to another user/);
    if (user === 0) {
      await Deno.chown(file, 0, 0);
      await Deno.chown(join(at.cwd, ".cli"), 1000, 1000);
      match(await of(0), /Cannot use ".*\.cli": it belongs to another user/);
    }
  },
});
