/**
 * `cli service status`
 *
 * @module
 */

import { ApiError, NetworkError, type ToolkitError } from "../../../errors.ts";
import { attemptOnce, ownRefusal, unreachable, unreadable } from "../../../retry.ts";
import { listProgress, type ProjectProgress } from "../../../simulator/service.ts";
import type { Context } from "../../context.ts";
import {
  adminClient,
  dataFlag,
  FIND_ADDRESS,
  folderOf,
  notRunning,
} from "../../local/local_service.ts";
import type { DatabasePlace } from "../../../service/store/frozen.ts";
import type { Worker } from "../../../service/store/postgres/overview.ts";
import { DATABASE, placeOfFlags } from "../../local/databases.ts";
import { time } from "../../screen/display.ts";
import type { Column } from "../../screen/output.ts";
import { command, text } from "../../words/command.ts";

/** Shows whether the local service runs. In an outage it shows the known facts, and fails. */
export const status = command({
  brief: "Show whether the local service runs",
  details:
    `With --database, or when ${DATABASE} is set and --data is not given, it shows the processes on ` +
    "that database, their roles and versions, and what waits.",
  flags: {
    ...dataFlag,
    database: text(`A PostgreSQL database (default: ${DATABASE}, which may contain the password)`, {
      placeholder: "postgres://user@host/name",
    }),
  },
  async run(context, { data, database }) {
    if (database !== undefined || data === undefined && context.around.env(DATABASE)) {
      return await showDatabase(context, await placeOfFlags(context, { data, database }));
    }
    const folder = folderOf(context, data);
    const { readAddress } = await import("../../../service/store/lock.ts");
    const { held, address } = await readAddress(folder);
    if (!held) throw await notRunning(context, data, address);
    if (!address) return showUnknown(context, folder);
    const { version, outage, reason } = await readHealth(context, address.base_url);
    const catching_up = outage ? null : await onTheWay(context, data);
    const facts = { running: true, ...address, version, data: folder, catching_up };
    if (context.out.format === "json") {
      context.out.json(JSON.stringify(outage ? { ...facts, unavailable: reason } : facts));
    } else {
      context.out.card(facts, [
        { label: "running", value: () => true },
        { label: "base_url", value: () => facts.base_url },
        { label: "pid", value: () => String(facts.pid) },
        { label: "started_at", value: () => facts.started_at, kind: "time" },
        { label: "version", value: () => facts.version },
        { label: "data", value: () => facts.data },
        ...outage
          ? [{ label: "unavailable", value: () => reason }]
          : [{ label: "catching_up", value: () => catching_up?.map(wayOf).join("; ") || "no" }],
      ]);
    }
    if (outage instanceof ApiError) {
      const why = reason ?? outage.message;
      throw new ApiError(`Cannot use the local service: ${why}`, outage);
    }
    if (outage) throw outage;
  },
});

const columns: Column<Worker>[] = [
  { header: "process", value: ({ holder }) => holder, kind: "id" },
  { header: "role", value: ({ role }) => role, kind: "word" },
  { header: "version", value: ({ version }) => version },
  { header: "host", value: ({ host }) => host },
  { header: "pid", value: ({ pid }) => pid, kind: "number" },
  { header: "client", value: ({ client }) => client },
  { header: "connected_at", value: ({ connected_at }) => connected_at, kind: "time" },
];

/**
 * Shows what runs on a database on a server.
 *
 * @throws {NetworkError} when nothing does.
 */
async function showDatabase({ out }: Context, place: DatabasePlace): Promise<void> {
  if (!("address" in place)) return;
  const { readOverview } = await import("../../../service/store/postgres/overview.ts");
  const { processes, ...facts } = await readOverview(place.address);
  const running = processes.length > 0;
  if (out.format === "json") out.json(JSON.stringify({ running, ...facts, processes }));
  else {
    out.card(facts, [
      { label: "database", value: () => facts.database },
      { label: "schema", value: () => String(facts.schema) },
      { label: "pending_deliveries", value: () => String(facts.pending_deliveries) },
      { label: "deliveries_under_way", value: () => String(facts.deliveries_under_way) },
      { label: "projects_behind", value: () => String(facts.projects_behind) },
    ]);
    out.table(processes, columns, { title: `Processes (${processes.length})`, empty: "none" });
  }
  if (running) return;
  throw new NetworkError(`Cannot reach the service: no process runs on ${facts.database}`, {
    hint: `Start one with: cli service start --sign-in password, and the same ${DATABASE}`,
  });
}

/** Shows a service whose note is missing: the lock of its folder proves that it runs. */
function showUnknown({ out }: Context, folder: string): void {
  const unknown = { base_url: null, pid: null, started_at: null, version: null };
  const facts = { running: true, ...unknown, data: folder, catching_up: null };
  if (out.format === "json") out.json(JSON.stringify(facts));
  else {
    out.card(facts, [
      { label: "running", value: () => true },
      { label: "base_url", value: () => null },
      { label: "data", value: () => folder },
    ]);
  }
  out.warn("The address of the service is unknown: service.json is missing in its data folder");
  out.note(FIND_ADDRESS);
}

/** The health of a service. */
interface Health {
  /** Its version, if sent. */
  version: string | null;
  /** The reason of an outage, or undefined. */
  outage?: ToolkitError;
  /** The same in the service's words. */
  reason?: string | null;
}

/**
 * Reads the health of a service, once: an outage is an answer here.
 *
 * @throws {NetworkError} when nothing answers, or another server does.
 */
async function readHealth({ around, signal }: Context, baseUrl: string): Promise<Health> {
  const headers = new Headers({ Accept: "application/json" });
  const request = { url: `${baseUrl}/health`, method: "GET", headers };
  const settings = { baseUrl, signal, ...around.fetch && { fetch: around.fetch } };
  const outcome = await attemptOnce(settings, request, 1);
  if (!outcome.response) throw unreachable(outcome.error, request.url);
  const { version, reason } = fieldsOf(outcome.text);
  const known = { version: typeof version === "string" ? version : null };
  if (outcome.response.ok) return known;
  const outage = ownRefusal(outcome, request);
  if (!outage) throw unreadable(`status ${outcome.response.status}`, request.url);
  return { ...known, outage, reason: typeof reason === "string" ? reason : null };
}

/** The fields of a JSON object; none for other text. */
function fieldsOf(text: string): Record<string, unknown> {
  try {
    return { ...JSON.parse(text) };
  } catch {
    return {};
  }
}

/** The projects that are catching up with their clock. */
async function onTheWay(context: Context, data: string | undefined): Promise<ProjectProgress[]> {
  return (await listProgress(await adminClient(context, data))).items;
}

/** The progress of a project, in words. */
function wayOf({ project_id, now, to, left_ms }: ProjectProgress): string {
  const left = left_ms === null ? "" : `, about ${Math.ceil(left_ms / 1000)} s left`;
  return `${project_id} at ${time(now)}, to ${time(to)}${left}`;
}
