/**
 * Programs that listen to events: a desk that does, and a process.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { createClient } from "../../lib/client.ts";
import { buyProduct } from "../../lib/simulator/purchases.ts";
import type { Server } from "../../lib/service/serve.ts";
import { verifyWebhook } from "../../lib/webhook.ts";
import { type Desk, type DeskOptions, openDesk, type Ran } from "./harness.ts";
import { startServer } from "./server.ts";
import { simulate } from "./simulation.ts";
import { childLines } from "./store_fixture.ts";
import { CLI_FLAGS } from "./cli_flags.ts";

/** The target of forwarded events. Nothing listens there: the desk receives them. */
export const TARGET = "http://127.0.0.1:3999/hooks";

/** Whether a request is one of a listener to the service. */
export function isListening({ url }: Request): boolean {
  return /\/listeners\/\w+\/(events|ack)(\?|$)/.test(url);
}

/** A desk that listens. */
export interface Listening {
  /** The desk. */
  desk: Desk;
  /** The ids of the events that were taken. */
  arrived: string[];
  /** Their bodies. */
  bodies: string[];
}

/** A desk whose command line may listen, with the verified events at the target. */
export async function openListening(
  answer: (count: number) => number | Response,
  intercept: DeskOptions["intercept"] = (request, pass) => pass(request),
  options: DeskOptions = {},
): Promise<Listening> {
  const arrived: string[] = [];
  const bodies: string[] = [];
  let secret = "";
  let tries = 0;
  const desk = await openDesk({
    ...options,
    async intercept(request, pass) {
      if (request.url !== TARGET) {
        const response = await intercept(request, pass);
        if (/\/listeners\/\w+$/.test(request.url)) {
          secret = (await response.clone().json()).signing_secret;
        }
        return response;
      }
      const body = await request.clone().text();
      const { id } = await verifyWebhook(request, secret);
      const answered = answer(++tries);
      if (answered instanceof Response) return answered;
      const status = answered;
      if (status === 0) throw new TypeError("connection reset");
      if (status === 200) {
        arrived.push(id);
        bodies.push(body);
      }
      return new Response("thanks", { status });
    },
  });
  desk.env.CLI_SERVICE_ADMIN_SECRET = desk.service.adminSecret;
  return { desk, arrived, bodies };
}

/** Listens until nothing is left. */
export function listenAll(desk: Desk, ...more: string[]): Promise<Ran> {
  return desk.run("events", "listen", "--forward-to", TARGET, "--until-idle", ...more);
}

/** Makes a subscription and one-time purchases of others. Returns the ids of all events. */
export async function makeEvents(desk: Desk, others: number): Promise<string[]> {
  const sim = simulate(desk);
  await sim.subscribe({ product_id: "notes.pro.monthly" });
  for (let i = 0; i < others; i++) {
    await sim.purchase({ customer_id: `buyer${i}`, product_id: "notes.pro.lifetime" });
  }
  return (await sim.rows("events")).map((event) => event.id);
}

/** A process that listens. */
export interface ListeningProcess {
  /** The service. */
  server: Server;
  /** The process. */
  child: Deno.ChildProcess;
  /** Its output. */
  lines: AsyncGenerator<string>;
}

/** Lets customers of a service buy something once each. */
export async function buyAt(
  { baseUrl, projectId = "", adminSecret }: Server,
  ...customers: string[]
): Promise<void> {
  const client = createClient({ baseUrl, credential: adminSecret });
  for (const customer_id of customers) {
    const product_id = "notes.pro.lifetime";
    await buyProduct({ client, project: projectId }, { customer_id, product_id });
  }
}

/** Starts `cli events listen` as a process, against a service of its own. */
export function startListening(...words: string[]): Promise<ListeningProcess> {
  return startListeningIn({}, ...words);
}

/** The same with more in its environment. */
export async function startListeningIn(
  env: Record<string, string>,
  ...words: string[]
): Promise<ListeningProcess> {
  const server = await startServer({ empty: false, report: () => {} });
  // Deno refuses to start a program with `LD_LIBRARY_PATH`, but a shell does not.
  const { LD_LIBRARY_PATH, LD_PRELOAD, ...rest } = env;
  const exports = LD_LIBRARY_PATH === undefined
    ? ""
    : `LD_LIBRARY_PATH='${LD_LIBRARY_PATH}' LD_PRELOAD='${LD_PRELOAD ?? ""}' `;
  const shell = exports === "" ? [] : ["-c", `${exports}exec "$0" "$@"`, Deno.execPath()];
  const child = new Deno.Command(exports === "" ? Deno.execPath() : "sh", {
    args: [
      ...shell,
      ...["run", ...CLI_FLAGS, "--allow-net=127.0.0.1", "--allow-env", "--allow-read"],
      "--allow-run=sh,cmd",
      fileURLToPath(new URL("../../cli.ts", import.meta.url)),
      ...["events", "listen", ...words],
    ],
    env: {
      ...rest,
      CLI_BASE_URL: server.baseUrl,
      CLI_PROJECT_ID: server.projectId ?? "",
      CLI_SERVICE_ADMIN_SECRET: server.adminSecret,
    },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  return { server, child, lines: childLines(child) };
}
