import { deepEqual, equal, match, ok } from "node:assert/strict";
import { join } from "node:path";
import { openService } from "../../../support/engine.ts";
import { keepSecret } from "../../../../lib/service/http/admin_secret.ts";
import { openDesk } from "../../../support/harness.ts";
import { inFolder } from "../../../support/store_fixture.ts";

Deno.test("service backup saves the data, restore asks first and restores it", () =>
  inFolder(async (folder) => {
    await using desk = await openDesk();
    const data = join(folder, "my data");
    await Deno.mkdir(data);
    await keepSecret(data);
    await (await openService({ database: join(data, "service.db") })).close();
    const file = join(folder, "one.backup");
    const saved = await desk.run("service", "backup", file, "--data", data);
    equal(saved.code, 0, saved.err);
    match(saved.out, /^sha256 +[0-9a-f]{64}$/m);
    ok(saved.err.includes(`Put it back with: cli service restore ${file} --data '${data}'`));
    const before = await Deno.readFile(join(data, "service.db"));
    const asked = await desk.run("service", "restore", file, "--data", data);
    equal(asked.code, 3);
    deepEqual(await Deno.readFile(join(data, "service.db")), before);
    const done = await desk.run(
      "service",
      "restore",
      file,
      "--data",
      data,
      "-y",
      "--output",
      "json",
    );
    equal(done.code, 0, done.err);
    deepEqual(
      Object.keys(done.json() as object),
      ["format", "version", "schema", "made_at", "project_time", "bytes", "sha256", "file", "data"],
    );
    {
      await using service = await openService({ database: join(data, "service.db") });
      ok(service.projectId !== undefined);
    }
    await Deno.truncate(file, 5000);
    const bad = await desk.run("service", "restore", file, "--data", data, "-y");
    match(bad.err, /^Cannot restore ".*": it is not a backup of the service, or it is truncated\n/);
    equal(bad.code, 1);
  }));

Deno.test("service reset refuses a folder without data before it asks", () =>
  inFolder(async (folder) => {
    await using desk = await openDesk();
    const typo = join(folder, "typo");
    const { code, err } = await desk.run("service", "reset", "--data", typo);
    equal(code, 1);
    equal(
      err.split("\n")[0],
      `Cannot delete the data in ${JSON.stringify(typo)}: there is no such folder`,
    );
    deepEqual(await Array.fromAsync(Deno.readDir(folder)), []);
  }));
