import { deepEqual, equal, match } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inFolder } from "../../support/store_fixture.ts";

const OPEN = new URL("../../../lib/service/mod.ts", import.meta.url).href;
const BUILDER = new URL("../../../lib/service/store/builder.ts", import.meta.url).href;
const STORE = new URL("../../../lib/service/store/mod.ts", import.meta.url).href;

/** Runs a script in a process of its own, which has loaded nothing yet. */
async function run(folder: string, script: string): Promise<string> {
  const file = join(folder, "script.ts");
  await Deno.writeTextFile(file, script);
  const config = fileURLToPath(new URL("../../../deno.json", import.meta.url));
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-check", "--config", config, "-A", file],
    env: { NO_COLOR: "1" },
  }).output();
  return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
}

Deno.test("a start on a new or old database answers without the builder of queries", () =>
  inFolder(async (folder) => {
    const printed = await run(
      folder,
      `import { openService } from "${OPEN}";
      import { hasBuilder } from "${BUILDER}";
      const database = ${JSON.stringify(join(folder, "data.db"))};
      const first = await openService({ database });
      const made = hasBuilder();
      await first.close();
      const { pid } = await new Promise((resolve) => {
        const worker = new Worker(URL.createObjectURL(new Blob([\`
          import { openService } from "${OPEN}";
          import { hasBuilder } from "${BUILDER}";
          const service = await openService({ database: \${JSON.stringify(database)} });
          await service.catchUp();
          await service.prune();
          const get = (path) => service.fetch(new Request("http://127.0.0.1" + path));
          const { status } = await get("/health");
          const ready = await get("/health/ready");
          const before = hasBuilder();
          const listed = await get("/v2/projects");
          await service.close();
          self.postMessage({ pid: [status, ready.status, before, listed.status, hasBuilder()] });
        \`], { type: "text/javascript" })), { type: "module" });
        worker.onmessage = ({ data }) => { worker.terminate(); resolve(data); };
      });
      console.log(JSON.stringify([made, ...pid]));`,
    );
    deepEqual(JSON.parse(printed), [false, 200, 200, false, 401, false]);
  }));

Deno.test("work that builds queries waits for the builder, and plain work cannot build any", () =>
  inFolder(async (folder) => {
    const printed = await run(
      folder,
      `import { fixed, openStore, plainly } from "${STORE}";
      const store = openStore({ file: ":memory:" });
      const count = plainly(async (tx) => (await fixed\`select 1 as one\`.execute(tx)).rows.length);
      console.log(await store.read(count), await store.write(count));
      await store.read(plainly(async (tx) => tx.selectFrom("accounts"))).catch((error) =>
        console.log(error.constructor.name));
      const rows = await store.write((tx) => tx.selectFrom("accounts").selectAll().execute());
      console.log(rows.length, await store.read(count));
      await store.close();`,
    );
    match(printed, /^1 1\nTypeError\n0 1\n$/);
    equal(printed.split("\n").length, 4);
  }));
