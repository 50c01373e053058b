/**
 * The service over HTTP, against a bare server that gives the same answer.
 *
 * @module
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Child, processorTime, startDeno, startScript } from "./child.ts";
import type { Order, Outcome, Template } from "./load_generator.ts";
import { type Finding, inTurns, type Measured, median, ratioOf } from "./measure.ts";
import type { RunningService } from "./programs.ts";

/** How thoroughly to measure. */
export interface HttpOptions {
  /** Rounds in which each server has its turn. */
  rounds: number;
  /** Rounds that do not count, before those. */
  warmUp: number;
  /** How long a turn is, in milliseconds. */
  ms: number;
  /** The service. */
  service: RunningService;
  /** A folder for what else is needed. */
  folder: string;
}

/** A kind of load. */
interface Load extends Pick<Order, "by" | "connections"> {
  /** What it stands for. */
  name: string;
  /** Whether the budgets speak of it. */
  counts: boolean;
}

const LOADS: readonly Load[] = [
  { name: "`fetch`, 64 at a time", by: "fetch", connections: 64, counts: true },
  { name: "sockets, 1 at a time", by: "socket", connections: 1, counts: false },
  { name: "sockets, 64 at a time", by: "socket", connections: 64, counts: false },
];

/** A request to measure. */
export interface Case {
  /** What it is. */
  what: string;
  /** The request. */
  request: Template;
  /** The least ratio, where there is a budget. */
  atLeast?: number;
  /** The least share of our processor time that the practical limit needs, where that is measured. */
  limit?: number;
}

/** Measures requests, each against a bare server with an answer of the same size. */
export async function measureHttp(options: HttpOptions): Promise<Measured> {
  await using generator = startScript("load_generator.ts");
  const findings: Finding[] = [];
  for (const one of await casesFor(options.service)) {
    findings.push(...await measureCase(options, generator, one));
    if (one.limit === undefined) continue;
    for (const connections of [64, 1]) {
      findings.push(await measureLimit(options, generator, one, connections));
    }
  }
  return {
    method: "Requests per second, against `Deno.serve` with the same body in the same minute: " +
      `${options.rounds} turns of ${options.ms} ms each. Service, bare server and load generator ` +
      "are processes of their own. The budgets speak of `fetch` on 64 connections that stay " +
      "open. It costs the sender so much that it holds up the bare server more than ours: bare " +
      "sockets cost less, and show the servers alone. The practical limit is `Deno.serve` with " +
      "one prepared statement for a GET, or one insert that is on disk for a POST, and nothing " +
      "else; there the processor time of a request counts, in turns as well. It brings each row " +
      "to the disk by itself. Ours does that for all changes that wait at the same time, and " +
      "writes an audit entry and an idempotency key with each.",
    findings,
  };
}

/** Measures one request under every kind of load. */
async function measureCase(
  { service, rounds, warmUp, ms }: HttpOptions,
  generator: Child,
  { what, request, atLeast }: Case,
): Promise<Finding[]> {
  await using bare = startScript("bare_server.ts");
  await bare.say(await answerOf(service, request));
  await bare.hangUp();
  const { base_url } = JSON.parse(await bare.line());
  const findings: Finding[] = [];
  for (const { name, counts, ...load } of LOADS) {
    const turn = (base_url: string) => async () =>
      (await carryOut(generator, { base_url, request, ms, ...load })).per_second;
    const turns = { ours: turn(service.base_url), bare: turn(base_url) };
    const samples = await inTurns(turns, { rounds, warmUp });
    findings.push({
      what: `${what}; ${name}`,
      ours: `${median(samples.ours).toFixed(0)}/s`,
      base: `${median(samples.bare).toFixed(0)}/s, bare`,
      ...ratioOf(samples.ours, samples.bare),
      better: "more",
      ...counts && atLeast !== undefined && { budget: { atLeast } },
    });
  }
  return findings;
}

/** Measures the processor time of a request against that of the practical limit. */
async function measureLimit(
  { service, rounds, warmUp, ms, folder }: HttpOptions,
  generator: Child,
  { what, request, limit = 0 }: Case,
  connections: number,
): Promise<Finding> {
  const flags = ["--quiet", "--no-prompt", "--allow-net=127.0.0.1", "--allow-read"];
  const script = fileURLToPath(import.meta.resolve("./limit_server.ts"));
  const file = join(folder, `limit ${request.method} ${connections}.db`);
  await using server = startDeno([...flags, "--allow-write", script, file]);
  const { base_url } = JSON.parse(await server.line());
  const turn = (base_url: string, pid: number) => async () => {
    const before = await processorTime(pid) ?? NaN;
    const order: Order = { base_url, request, ms, by: "fetch", connections };
    const { answered } = await carryOut(generator, order);
    return ((await processorTime(pid) ?? NaN) - before) / answered;
  };
  const turns = { ours: turn(service.base_url, service.pid), limit: turn(base_url, server.pid) };
  const samples = await inTurns(turns, { rounds, warmUp });
  const micros = (times: number[]) => `${(median(times) * 1000).toFixed(0)} µs`;
  const ratio = ratioOf(samples.limit, samples.ours);
  return {
    what: `${what}; processor time of the practical limit against ours, ${connections} at a time`,
    ours: micros(samples.ours),
    base: `${micros(samples.limit)}, the practical limit`,
    ...Number.isNaN(ratio.value) ? {} : ratio,
    better: "more",
    ...connections > 1 && { budget: { atLeast: limit } },
  };
}

/** What to measure. Makes the objects that the lists need. */
export async function casesFor(service: RunningService): Promise<Case[]> {
  const path = `/v2/projects/${service.project_id}`;
  const headers = { Authorization: `Bearer ${service.access_token}` };
  const read = (below: string): Template => ({
    method: "GET",
    path: path + below,
    headers,
    body: "",
  });
  const create = (below: string): Template => ({
    method: "POST",
    path: path + below,
    headers: {
      ...headers,
      "Content-Type": "application/json",
      "Idempotency-Key": `${crypto.randomUUID()}-{n}`,
    },
    body: JSON.stringify({ lookup_key: "bench_{n}", display_name: "Made to measure" }),
  });
  const listed = Array.from({ length: 120 }, () => answerOf(service, create("/entitlements")));
  await Promise.all(listed);
  const offering: { id: string } = JSON.parse(await answerOf(service, read("/offerings/default")));
  return [
    {
      what: "GET by id",
      request: read(`/offerings/${offering.id}`),
      atLeast: 0.62,
      limit: 0.4,
    },
    { what: "List of 20", request: read("/entitlements?limit=20"), atLeast: 0.4 },
    { what: "List of 100", request: read("/entitlements?limit=100") },
    { what: "POST that creates", request: create("/offerings"), atLeast: 0.3, limit: 0.33 },
  ];
}

let made = 0;

/** Sends a request once, and gives the answer. */
async function answerOf(service: RunningService, request: Template): Promise<string> {
  const fill = (text: string) => text.replace("{n}", `once_${made}`);
  made++;
  const { method, path, body } = request;
  const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [
    name,
    fill(value),
  ]);
  const response = await fetch(service.base_url + path, {
    method,
    headers,
    ...body !== "" && { body: fill(body) },
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text;
}

/** Has the load generator carry out an order. */
export async function carryOut(generator: Child, order: Order): Promise<Outcome> {
  await generator.say(JSON.stringify(order));
  return JSON.parse(await generator.line());
}
