/**
 * A service in memory for requests at random, with something of everything in it.
 *
 * @module
 */

import { BASE_URL, type Desk, openDesk } from "./harness.ts";
import { fillSite } from "./request_fill.ts";
import { createStock } from "./request_stock.ts";
import type { Site } from "./generated_requests.ts";

/** A service to send requests to. */
export interface RequestDesk extends AsyncDisposable {
  /** The service as a place to send requests to. */
  readonly site: Site;
  /** The service behind it. */
  readonly desk: Desk;
  /** What webhooks have received: address, headers and body of each delivery. */
  readonly received: readonly string[];
}

/** Opens one. Webhooks go to a receiver on this machine. */
export async function openRequestDesk(): Promise<RequestDesk> {
  const received: string[] = [];
  const receiver = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const headers = JSON.stringify([...request.headers]);
      received.push(`${request.url} ${headers} ${await request.text()}`);
      return new Response();
    },
  );
  const desk = await openDesk({ buyers: true, webhookTargets: "loopback" });
  const token = (await desk.service.oauth.issueToken()).access_token;
  const site: Site = {
    base_url: BASE_URL,
    credentials: { token, admin: desk.service.adminSecret, key: "" },
    stock: createStock(),
    fetch: (request) => desk.service.fetch(request),
  };
  await fillSite(site, desk.projectId, `http://127.0.0.1:${receiver.addr.port}/`);
  return {
    site,
    desk,
    received,
    async [Symbol.asyncDispose]() {
      await desk[Symbol.asyncDispose]();
      await receiver.shutdown();
    },
  };
}
