import { deepEqual, equal, match, notEqual, ok, rejects, throws } from "node:assert/strict";
import { join } from "node:path";
import { ConfigError } from "../../../lib/errors.ts";
import {
  agreeWithOthers,
  hasSecret,
  isSecret,
  keepSecret,
  readSecret,
  requireSecret,
  secretsOf,
} from "../../../lib/service/http/admin_secret.ts";
import { openService } from "../../support/engine.ts";
import { inFolder } from "../../support/store_fixture.ts";

const SECRET = `adm_${"x".repeat(43)}`;

Deno.test("the first start creates a secret that only the owner can read, and later starts keep it", () =>
  inFolder(async (folder) => {
    const secret = await keepSecret(folder);
    match(secret, /^adm_[\w-]{43}$/);
    equal(await keepSecret(folder), secret);
    equal(await readSecret(folder), secret);
    deepEqual((await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name), [
      "admin.secret",
    ]);
    if (Deno.build.os === "windows") return;
    equal(((await Deno.stat(join(folder, "admin.secret"))).mode ?? 0) & 0o777, 0o600);
  }));

Deno.test("an empty secret is refused by readers, and replaced at the next start", () =>
  inFolder(async (folder) => {
    const file = join(folder, "admin.secret");
    await Deno.writeTextFile(file, "", { mode: 0o600 });
    await rejects(readSecret(folder), {
      name: "ConfigError",
      message: `Cannot use ${JSON.stringify(file)}: it is empty`,
    });
    match(await keepSecret(folder), /^adm_[\w-]{43}$/);
  }));

Deno.test("a truncated or foreign secret is refused and stays", () =>
  inFolder(async (folder) => {
    const file = join(folder, "admin.secret");
    for (const text of [" ", "\n", "adm_", SECRET.slice(0, -1), `${SECRET}x`, "hunter2", "\0"]) {
      await Deno.writeTextFile(file, text, { mode: 0o600 });
      for (const use of [keepSecret, readSecret]) {
        await rejects(use(folder), (error) => {
          ok(error instanceof ConfigError);
          match(error.message, /: it (is empty|contains no admin secret)$/);
          match(error.hint ?? "", /delete the file/);
          return true;
        }, JSON.stringify(text));
      }
      equal(await Deno.readTextFile(file), text);
    }
  }));

Deno.test("a secret that cannot be written leaves no file", () =>
  inFolder(async (folder) => {
    await rejects(keepSecret(join(folder, "missing")), {
      name: "ConfigError",
      message: /^Cannot write the admin secret in /,
      hint: "Use a writable folder with free space: cli service start --data DIR",
    });
    await rejects(readSecret(folder), {
      name: "ConfigError",
      message: /^Cannot read the admin secret in /,
      hint: "Start the service once with: cli service start",
    });
    deepEqual(await Array.fromAsync(Deno.readDir(folder)), []);
  }));

Deno.test("a secret that cannot be looked for is not replaced", {
  // There a path through a file is a missing one.
  ignore: Deno.build.os === "windows",
}, () =>
  inFolder(async (folder) => {
    const file = join(folder, "file");
    await Deno.writeTextFile(file, "");
    await rejects(keepSecret(file), { message: /^Cannot read the admin secret in / });
  }));

Deno.test({
  name: "an admin secret that others can open is refused",
  ignore: Deno.build.os === "windows",
  fn: () =>
    inFolder(async (folder) => {
      const file = join(folder, "admin.secret");
      await Deno.writeTextFile(file, `${SECRET}\n`, { mode: 0o600 });
      equal(await readSecret(folder), SECRET);
      await Deno.chmod(file, 0o640);
      await rejects(readSecret(folder), {
        message: `Cannot use ${JSON.stringify(file)}: other users can read it (mode 0640)`,
        hint: /^Delete it/,
      });
    }),
});

Deno.test("an empty secret never matches", async () => {
  equal(isSecret("", ""), false);
  equal(isSecret(SECRET, ""), false);
  equal(isSecret("", SECRET), false);
  equal(isSecret(SECRET, SECRET), true);
  await using service = await openService({ adminSecret: "" });
  for (const headers of [{}, { Authorization: "" }, { Authorization: "Bearer " }]) {
    const response = await service.fetch(
      new Request("http://127.0.0.1/_sim/tokens", { method: "POST", headers }),
    );
    equal(response.status, 401, JSON.stringify(headers));
  }
  notEqual(service.projectId, undefined);
});

Deno.test("a secret that is a folder is refused", () =>
  inFolder(async (folder) => {
    await Deno.mkdir(join(folder, "admin.secret"));
    const refused = {
      name: "ConfigError",
      message: /: it is not a file$/,
      hint: "Move it away. The next start creates a secret.",
    };
    await rejects(readSecret(folder), refused);
    await rejects(keepSecret(folder), refused);
  }));

Deno.test("one of several secrets is enough, with or without the word Bearer", () => {
  const has = (Authorization: string) =>
    hasSecret(new Request("http://127.0.0.1/", { headers: { Authorization } }), ["one", "two"]);
  for (const header of ["one", "Bearer one", "bearer two"]) equal(has(header), true, header);
  for (const header of ["three", "Bearer", "Basic one", "Bearer  one"]) {
    equal(has(header), false, header);
  }
  const request = new Request("http://127.0.0.1/");
  throws(() => requireSecret(request, ["one"]), {
    name: "Refusal",
    status: 401,
    type: "authentication_error",
    message: "The admin secret is required",
  });
  deepEqual([secretsOf("one", undefined), secretsOf("one", "")], [["one"], ["one"]]);
  deepEqual(secretsOf("one", "two"), ["one", "two"]);
});

Deno.test("a store is closed where another process has another secret", async () => {
  await using service = await openService({ empty: true });
  let closed = 0;
  const holders = ["a"];
  const alive = () => Promise.resolve(new Set(holders));
  const { read, write } = service.store;
  const agree = (holder: string | undefined, adminSecret: string | undefined) =>
    agreeWithOthers(
      {
        ...{ read, write },
        others: holder === undefined ? undefined : { holder, alive },
        close: () => Promise.resolve(void closed++),
      },
      { adminSecret },
      1,
    );
  await agree("a", "adm_one");
  await rejects(agree("b", "adm_two"), /has another admin secret/);
  equal(closed, 1);
  // One that was made up here is known to nobody else, and alone there is nobody to agree with.
  await agree("b", undefined);
  await agree(undefined, "adm_two");
  equal(closed, 1);
});
