import { deepEqual, equal, match } from "node:assert/strict";
import { openDatabase } from "../../../../lib/service/store/mod.ts";
import { VERSION } from "../../../../lib/version.ts";
import { ONLY_POSTGRES } from "../../../support/engine.ts";
import { openDesk } from "../../../support/harness.ts";
import { withNewDatabase } from "../../../support/move_fixture.ts";

/** The output of the command as JSON. */
interface Output {
  running: boolean;
  database: string;
  schema: number;
  pending_deliveries: number;
  processes: {
    holder: string;
    role: string;
    version: string;
    host: string | null;
    pid: number | null;
    client: string | null;
  }[];
}

Deno.test(
  "service status shows the processes on a database, without the password",
  ONLY_POSTGRES,
  () =>
    withNewDatabase(async (address) => {
      await using desk = await openDesk();
      const url = new URL(address);
      url.password = "hidden";
      desk.env.CLI_SERVICE_DATABASE = url.href;
      const api = await openDatabase({ file: address, role: "api" });
      const worker = await openDatabase({ file: address, role: "worker" });
      const text = await desk.run("service", "status");
      equal(text.code, 0, text.err);
      match(text.out, /Processes \(2\)/);
      const json = await desk.run("service", "status", "--database", address, "--output", "json");
      equal(json.code, 0, json.err);
      const { running, database, schema, pending_deliveries, processes } = json.json() as Output;
      deepEqual([running, database, schema, pending_deliveries], [true, address, 1, 0]);
      deepEqual(
        processes.map((
          { holder, role, version, pid, client },
        ) => [holder, role, version, pid, client]),
        [
          [api.others?.holder, "api", VERSION, Deno.pid, "127.0.0.1"],
          [worker.others?.holder, "worker", VERSION, Deno.pid, "127.0.0.1"],
        ],
      );
      match(text.out, RegExp(`${worker.others?.holder} +worker +\\S+ +\\S+ +${Deno.pid} `));
      // The tests may not have the permission to read it.
      for (const { host } of processes) equal(host, hostName());
      await api.close();
      await worker.close();
      const none = await desk.run("service", "status");
      match(none.err, /^Cannot reach the service: no process runs on postgres:/);
      for (const { out, err } of [text, json, none]) equal((out + err).includes("hidden"), false);
    }),
);

/** This machine's name, if it may be read. */
function hostName(): string | null {
  try {
    return Deno.hostname();
  } catch {
    return null;
  }
}

Deno.test("service status refuses a password in --database", async () => {
  await using desk = await openDesk();
  const secret = "postgres://me:hidden@127.0.0.1:1/shop";
  const { code, err } = await desk.run("service", "status", "--database", secret);
  equal(code, 2);
  match(err, /^Cannot use a password in --database/);
  equal(err.includes("hidden"), false);
});
