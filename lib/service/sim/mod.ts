/**
 * Everything that the specification does not have and a local service needs, under `/_sim` and
 * behind the admin secret.
 *
 * @module
 */

import { z } from "zod";
import { isSecret } from "../http/admin_secret.ts";
import { readBody, validate } from "../http/body.ts";
import { Refusal } from "../contract/errors.ts";
import type { Clock } from "../clock.ts";
import type { Settler } from "../ledger/settle.ts";
import type { OAuth } from "../oauth/mod.ts";
import type { Store } from "../store/mod.ts";
import { createAccount, readAccounts } from "./accounts.ts";
import { createClient, deleteClient, readClients } from "./clients.ts";
import type { RequestFaults } from "./faults.ts";
import { readProgress } from "./progress.ts";

/** What the simulator works on. */
export interface SimParts {
  /** The database. */
  store: Store;
  /** Wall time. */
  clock: Clock;
  /** Lets time pass in projects. */
  settler: Settler;
  /** Makes tokens. */
  oauth: OAuth;
  /** Answers what belongs to a project. */
  answerProject(request: Request): Promise<Response>;
  /** Lets requests to the API go wrong. */
  faults: RequestFaults;
  /** The secret that callers must send, `adm_…`. */
  adminSecret: string;
}

const tokenOptions = z.strictObject({
  account_email: z.string().min(1).optional(),
  scope: z.string().min(1).optional(),
  rotates: z.boolean().default(false),
  lifetime_ms: z.int().min(1000).optional(),
});

/** Answers a request below `/_sim`. */
export async function answerSim(request: Request, parts: SimParts): Promise<Response> {
  checkSecret(request, parts.adminSecret);
  const { pathname } = new URL(request.url);
  if (pathname === "/_sim/tokens" && request.method === "POST") {
    const options = validate(tokenOptions, (await readBody(request)).value);
    const pair = await parts.oauth.issueToken({
      accountEmail: options.account_email,
      scope: options.scope,
      rotates: options.rotates,
      lifetimeMs: options.lifetime_ms,
    });
    return Response.json(pair, { status: 201, headers: { "Cache-Control": "no-store" } });
  }
  if (pathname === "/_sim/accounts" && request.method === "POST") {
    const { value } = await readBody(request);
    return Response.json(await createAccount(parts.store, parts.clock, value), { status: 201 });
  }
  if (pathname === "/_sim/accounts" && request.method === "GET") {
    return Response.json(await readAccounts(parts.store));
  }
  if (pathname === "/_sim/clients" && request.method === "POST") {
    const { value } = await readBody(request);
    return Response.json(await createClient(parts.store, parts.clock, value), { status: 201 });
  }
  if (pathname === "/_sim/clients" && request.method === "GET") {
    return Response.json(await readClients(parts.store));
  }
  const [, client] = /^\/_sim\/clients\/([^/]+)$/.exec(pathname) ?? [];
  if (client !== undefined && request.method === "DELETE") {
    const id = decodeURIComponent(client);
    return Response.json(await deleteClient(parts.store, parts, id));
  }
  if (pathname === "/_sim/progress" && request.method === "GET") {
    return Response.json(await readProgress(parts.store, parts.settler.progress()));
  }
  if (pathname === "/_sim/faults") return await parts.faults.answer(request);
  return await parts.answerProject(request);
}

/** Refuses callers without the admin secret. */
function checkSecret(request: Request, secret: string): void {
  const given = request.headers.get("Authorization")?.replace(/^Bearer /i, "") ?? "";
  if (isSecret(given, secret)) return;
  throw new Refusal(401, "authentication_error", "The admin secret is required");
}
