/**
 * The check of a database on a server, which several processes of the service share.
 *
 * @module
 */

import { ConfigError } from "../../errors.ts";
import type { Overview, Worker } from "../../service/store/postgres/overview.ts";
import { VERSION } from "../../version.ts";
import type { Context } from "../context.ts";
import { DATABASE } from "../local/databases.ts";
import { counted } from "../screen/display.ts";
import { doubtful, failed, type Finding, runCheck, skipped, type Verdict } from "./finding.ts";

const SECRET = "CLI_SERVICE_ADMIN_SECRET";
const START = `cli service start --sign-in password, with the same ${DATABASE}`;

/** Looks at a database on a server, and at the processes on it. It changes nothing. */
export async function checkDatabase({ around }: Context, address: string): Promise<Finding[]> {
  let overview: Overview | undefined;
  const data = await runCheck("service data", async () => {
    try {
      overview = await read(address);
      return await dataVerdict(overview);
    } catch (error) {
      return await withoutTables(error);
    }
  });
  const found = overview;
  return [
    data,
    found
      ? await runCheck("service processes", () => processesVerdict(found))
      : skipped("service processes", "the database cannot be read"),
    await runCheck("service secret", () =>
      around.env(SECRET) ? `from ${SECRET}` : doubtful(
        `${SECRET} is not set`,
        `Set ${SECRET} to the secret of the processes: they need it to start, and commands such ` +
          "as cli service token to reach them.",
      )),
  ];
}

async function read(address: string): Promise<Overview> {
  const { readOverview } = await import("../../service/store/postgres/overview.ts");
  return await readOverview(address);
}

/** A database without tables is one that no process has started on. */
async function withoutTables(error: unknown): Promise<Verdict> {
  const { NO_DATABASE } = await import("../../service/store/frozen.ts");
  if (!(error instanceof ConfigError) || !error.message.endsWith(NO_DATABASE)) throw error;
  return failed(error.message, `The first process makes it: ${START}`);
}

async function dataVerdict({ database, schema }: Overview): Promise<Verdict> {
  const { migrations } = await import("../../service/store/migrations/mod.ts");
  const detail = `schema ${schema} in ${database}`;
  if (schema === migrations.length) return detail;
  return doubtful(
    `${detail}, and this version has ${migrations.length}`,
    "The next process of this version that starts changes the tables.",
  );
}

/** What the processes do between them. */
function processesVerdict({ processes, pending_deliveries }: Overview): Verdict {
  if (processes.length === 0) return doubtful("none runs", `Start one with: ${START}`);
  const detail = `${counted(processes.length, "process", "processes")}: ` +
    processes.map(nameOf).join(", ");
  const does = (role: string) => processes.some((one) => [role, "all"].includes(one.role));
  if (!does("worker")) {
    return doubtful(
      `${detail}; none delivers events, and ${
        counted(pending_deliveries, "delivery waits", "deliveries wait")
      }`,
      `Start one with: cli service start --role worker, with the same ${DATABASE}`,
    );
  }
  if (!does("api")) {
    return doubtful(
      `${detail}; none answers requests`,
      `Start one with: cli service start --role api, with the same ${DATABASE}`,
    );
  }
  const other = processes.find(({ version }) => version !== VERSION);
  if (!other) return detail;
  return doubtful(
    `${detail}; the version of this command is ${VERSION}`,
    "After an upgrade, start the remaining processes again.",
  );
}

function nameOf({ role, version, host, pid, client }: Worker): string {
  const place = host ?? client;
  return `${role} ${version}${place === null ? "" : ` on ${place}`}` +
    (pid === null ? "" : ` (pid ${pid})`);
}
