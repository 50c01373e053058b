/**
 * A machine that is signed in to a project with an object of each kind.
 *
 * @module
 */

import { equal } from "node:assert/strict";
import { createClient } from "../../lib/client.ts";
import { layInStock } from "../../scripts/docs/stock.ts";
import { BASE_URL, type Home, openHome } from "./home_fixture.ts";

/** Sends a request to the simulator. */
async function simulate(at: Home, path: string, body: object): Promise<unknown> {
  const headers = {
    "Authorization": `Bearer ${at.service.adminSecret}`,
    "Content-Type": "application/json",
  };
  const address = `${BASE_URL}/_sim/projects/${at.env.CLI_PROJECT_ID}${path}`;
  const response = await at.service.fetch(
    new Request(address, { method: "POST", headers, body: JSON.stringify(body) }),
  );
  if (!response.ok) throw new Error(`Cannot ${path}: ${await response.text()}`);
  return await response.json();
}

/** A machine with an object of each kind, and the ids by their names in the lines. */
export async function openStocked(): Promise<[Home, Record<string, string>]> {
  const at = await openHome({ webhookTargets: "loopback" });
  const { access_token, refresh_token = "" } = await at.service.oauth.issueToken();
  const projectId = at.service.projectId ?? "";
  at.env.CLI_REFRESH_TOKEN = refresh_token;
  at.env.CLI_PROJECT_ID = projectId;
  at.env.CLI_SERVICE_ADMIN_SECRET = at.service.adminSecret;
  const fetch = (request: Request) => at.service.fetch(request);
  const client = createClient({ baseUrl: BASE_URL, credential: access_token, projectId, fetch });
  const stock = await layInStock(client, (path, body) => simulate(at, path, body));
  await simulate(at, "/listeners/mine", {});
  using receiver = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const made = async (line: string) => {
    const { code, err, json } = await at.run(`${line} --output json`);
    equal(code, 0, `${line}: ${err}`);
    return String(json()["id"]);
  };
  await made("virtual-currencies create --code GLD --name Gold");
  await made(`subscribers grant ${stock.$buyer} sync -d 30d -y`);
  await made("service client add theirs --name Theirs");
  await made("service account add ann@example.com");
  const url = `http://127.0.0.1:${receiver.addr.port}/`;
  return [at, {
    ...stock,
    $paywall: await made("paywalls create --offering winter_sale"),
    $webhook: await made(`webhooks create --name Mine --url ${url} --events renewal`),
  }];
}
