/**
 * A walk over a large list of customers by HTTP, while customers are created and deleted: whether
 * every one that stays is seen exactly once, and what it costs.
 *
 * @module
 */

import { join } from "node:path";
import { connect } from "../../lib/service/store/sqlite/connection.ts";
import { peakMemory, startScript } from "./child.ts";
import { type Finding, limited, type Measured, megabytes, plain, toMebibytes } from "./measure.ts";
import { type RunningService, startService } from "./programs.ts";

/** Of so many customers one may be deleted while the walk is under way; the others stay. */
export const VOLATILE = 10;

/** What the walk found. */
export interface Walked {
  /** All customers that were seen. */
  seen: number;
  /** Numbers of customers that stay and were not seen. */
  missed: number;
  /** Customers that were seen more than once. */
  twice: number;
  /** Customers that were created meanwhile and seen. */
  late: number;
  /** How long it took, in milliseconds. */
  ms: number;
  /** The memory that the process had before it began, in bytes. */
  rss: number;
}

/** What the writer has done. */
export interface Written {
  /** Customers that it created. */
  created: number;
  /** Customers that it deleted. */
  deleted: number;
}

/** What both are told. */
export interface Job {
  /** The service's address. */
  base_url: string;
  /** The project. */
  project_id: string;
  /** An access token. */
  access_token: string;
  /** How many customers there are at the beginning. */
  customers: number;
}

/** Measures the walk. Throws when somebody who stays is missed or seen twice. */
export async function measureCustomers(
  options: { customers: number; folder: string; env: Record<string, string> },
): Promise<Measured> {
  const { customers, folder, env } = options;
  {
    await using service = await startService(folder, env);
    await (await fetch(`${service.base_url}/health`)).text();
  }
  insertCustomers(join(folder, "service.db"), customers);
  await using service = await startService(folder, env);
  const { walked, written, memory } = await walkAndWrite(service, customers);
  if (walked.missed > 0 || walked.twice > 0) {
    const what = `${walked.missed} were missed, ${walked.twice} were seen twice`;
    throw new Error(`Cannot trust the walk: of ${walked.seen} customers ${what}`);
  }
  if (written.created === 0 || written.deleted === 0) {
    throw new Error("Cannot trust the walk: nothing was written during it");
  }
  return {
    method: `${customers} customers in a file. One process walks over them with the library's ` +
      "`each()` over `listCustomers()`, in pages of 100. Another creates and deletes customers " +
      `at the same time. A third is the service. Every customer that stays, ${VOLATILE - 1} of ` +
      `${VOLATILE}, was seen exactly once.`,
    findings: findings(walked, written, memory),
  };
}

function findings(walked: Walked, written: Written, memory: Memory): Finding[] {
  const seconds = walked.ms / 1000;
  return [
    limited("The walk", { value: seconds, unit: "s", budget: { atMost: 11 } }),
    plain("Customers seen", String(walked.seen)),
    plain("Customers seen per second", (walked.seen / seconds).toFixed(0)),
    plain("Missed, or seen twice", String(walked.missed + walked.twice)),
    plain("Created during the walk", String(written.created)),
    plain("Of them seen", String(walked.late)),
    plain("Deleted during the walk", String(written.deleted)),
    plain("Memory of the client, before", megabytes(walked.rss)),
    limited("Memory of the client, peak", {
      value: toMebibytes(memory.client),
      unit: "MiB",
      budget: { atMost: 110 },
    }),
    plain("Memory of the service, peak", megabytes(memory.service)),
  ];
}

/** The most memory that the processes have had, in bytes. */
interface Memory {
  /** Who walks. */
  client: number | undefined;
  /** The service. */
  service: number | undefined;
}

/** Lets one process walk while another one writes. */
async function walkAndWrite(
  { base_url, project_id, access_token, pid }: RunningService,
  customers: number,
): Promise<{ walked: Walked; written: Written; memory: Memory }> {
  const job: Job = { base_url, project_id, access_token, customers };
  await using writer = startScript("write_customers.ts", JSON.stringify(job));
  // It says when the first are written, and then goes on.
  await writer.line();
  await using walker = startScript("walk_customers.ts", JSON.stringify(job));
  const walked: Walked = JSON.parse(await walker.line());
  await writer.hangUp();
  const written: Written = JSON.parse(await writer.line());
  const memory = { client: await peakMemory(walker.pid), service: await peakMemory(pid) };
  return { walked, written, memory };
}

/** The id of a customer that is there at the beginning. */
export function customerId(number: number): string {
  return `customer-${number}`;
}

/** Writes customers behind those of the only project. */
export function insertCustomers(file: string, count: number): void {
  const connection = connect(file);
  try {
    const [project] = connection.rows("SELECT id, last_seq FROM projects");
    if (!project) throw new Error("There is no project to write customers into");
    connection.run("BEGIN");
    const numbers =
      `WITH RECURSIVE n(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM n LIMIT ${count})`;
    const common = `'${project["id"]}', 'customer-' || n`;
    const seq = `${project["last_seq"]} + n`;
    connection.run(
      `${numbers} INSERT INTO customers (project_id, id, seq, first_seen_at) ` +
        `SELECT ${common}, ${seq}, 1700000000000 + n FROM n`,
    );
    connection.run(
      `${numbers} INSERT INTO customer_aliases (project_id, alias, customer_id, seq, created_at) ` +
        `SELECT ${common}, 'customer-' || n, ${seq}, 1700000000000 + n FROM n`,
    );
    connection.run(`UPDATE projects SET last_seq = last_seq + ${count}`);
    connection.run("COMMIT");
  } finally {
    connection.close();
  }
}
