/**
 * Whether requests take longer in a large database: the same requests to two of them, in turns.
 *
 * @module
 */

import { join } from "node:path";
import { openService, type Service } from "../../lib/service/mod.ts";
import { connect } from "../../lib/service/store/sqlite/connection.ts";
import { elapsed, type Finding, inTurns, type Measured, median, ratioOf } from "./measure.ts";

/** How large a database is. */
interface Extent {
  /** Customers, half of them in the project that is asked, the others spread over the rest. */
  customers: number;
  /** Projects. */
  projects: number;
}

/** Requests of a kind in one sample: one alone is too short. */
const PER_SAMPLE = 50;

/** Samples of each kind that do not count: until then the runtime compiles, and caches fill. */
const WARM_UP = 60;

/** The requests, as paths below the project; a POST creates a customer. */
const REQUESTS = {
  "GET by id": (i: number, customers: number) => `/customers/customer-${1 + i * 7919 % customers}`,
  "List of 20": (i: number, customers: number) =>
    `/customers?limit=20&starting_after=customer-${1 + i * 7919 % (customers - 20)}`,
  "Search by e-mail": (i: number, customers: number) =>
    `/customers?search=c${1 + i * 7919 % customers}%40example.com`,
  "POST that creates": () => undefined,
} as const;

/** Measures requests in a large database against the same ones in a small one. */
export async function measureGrowth(
  options: { folder: string; small: Extent; large: Extent; rounds: number },
): Promise<Measured> {
  const { folder, small, large, rounds } = options;
  await using ours = await openFilled(join(folder, "large.db"), large);
  await using base = await openFilled(join(folder, "small.db"), small);
  const findings: Finding[] = [];
  for (const [what, pathOf] of Object.entries(REQUESTS)) {
    const samples = await inTurns({
      ours: () => ours.take(pathOf),
      base: () => base.take(pathOf),
    }, { rounds: rounds * 3, warmUp: WARM_UP });
    const each = (times: number[]) => `${(median(times) * 1000 / PER_SAMPLE).toFixed(0)} µs`;
    findings.push({
      what,
      ours: each(samples.ours),
      base: `${each(samples.base)}, the small one`,
      ...ratioOf(samples.ours, samples.base),
      budget: { atMost: 1.2 },
    });
  }
  return {
    method: `A file with ${large.customers} customers in ${large.projects} projects, against one ` +
      `with ${small.customers} in ${small.projects}; half of them in the project that is asked. ` +
      `The services are in one process, without sockets; each sample is ${PER_SAMPLE} requests, ` +
      `after ${WARM_UP} samples that do not count.`,
    findings,
  };
}

/** A service on a database of some extent. */
interface Filled extends AsyncDisposable {
  /** Sends requests of a kind, and returns how long they took, in milliseconds. */
  take(pathOf: (i: number, customers: number) => string | undefined): Promise<number>;
}

let sent = 0;

/** Makes a database, and opens the service on it. */
async function openFilled(database: string, extent: Extent): Promise<Filled> {
  const empty = await openService({ database, buyers: false });
  const project = empty.projectId ?? "";
  await empty.close();
  const own = fill(database, project, extent);
  const service = await openService({ database });
  const { access_token } = await service.oauth.issueToken({});
  const headers = { Authorization: `Bearer ${access_token}`, "Content-Type": "application/json" };
  const root = `http://127.0.0.1/v2/projects/${project}`;
  return {
    take: (pathOf) =>
      elapsed(async () => {
        for (let i = 0; i < PER_SAMPLE; i++) {
          const path = pathOf(++sent, own);
          const body = JSON.stringify({ id: `new-${sent}` });
          const request = path === undefined
            ? new Request(`${root}/customers`, { method: "POST", headers, body })
            : new Request(root + path, { headers });
          await answered(service, request);
        }
      }),
    [Symbol.asyncDispose]: () => service.close(),
  };
}

async function answered(service: Service, request: Request): Promise<void> {
  const response = await service.fetch(request);
  const text = await response.text();
  if (!response.ok) throw new Error(`${request.url}: ${response.status} ${text}`);
}

/** Writes projects and customers. Returns how many customers the given project has. */
function fill(file: string, project: string, { customers, projects }: Extent): number {
  const connection = connect(file);
  try {
    connection.run("BEGIN");
    const own = Math.max(50, Math.floor(customers / 2));
    for (let i = 0; i < projects; i++) {
      const id = i === 0 ? project : `projmore${i}`;
      if (i > 0) {
        connection.rows(
          "INSERT INTO projects (id, seq, name, created_at) VALUES (?, ?, 'More', 0)",
          id,
          i + 1,
        );
      }
      insertCustomers(
        connection,
        id,
        i === 0 ? own : Math.ceil((customers - own) / (projects - 1)),
      );
    }
    connection.run("COMMIT");
    return own;
  } finally {
    connection.close();
  }
}

/** Writes the customers of a project, each with an alias and an e-mail address. */
function insertCustomers(
  connection: ReturnType<typeof connect>,
  project: string,
  count: number,
): void {
  const numbers =
    `WITH RECURSIVE n(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM n LIMIT ${count})`;
  const [row] = connection.rows("SELECT last_seq FROM projects WHERE id = ?", project);
  const last = Number(row?.["last_seq"]);
  const insert = (columns: string, values: string) =>
    connection.rows(`${numbers} INSERT INTO ${columns} SELECT ?, ${values} FROM n`, project);
  const seq = `${last} + n`;
  insert("customers (project_id, id, seq, first_seen_at)", `'customer-' || n, ${seq}, n`);
  insert(
    "customer_aliases (project_id, alias, customer_id, seq, created_at)",
    `'customer-' || n, 'customer-' || n, ${seq}, n`,
  );
  insert(
    "customer_attributes (project_id, customer_id, name, value, updated_at)",
    "'customer-' || n, '$email', 'c' || n || '@example.com', n",
  );
  connection.rows("UPDATE projects SET last_seq = last_seq + ? WHERE id = ?", count, project);
}
