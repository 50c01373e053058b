/**
 * One service on SQLite and one on PostgreSQL, with the same ids and the same time. Each request goes
 * to both, and their answers must be the same, byte for byte.
 *
 * @module
 */

import { AssertionError, equal } from "node:assert/strict";
import type { Service } from "../../lib/service/mod.ts";
import { openDatabase, type Store, type StoreOptions } from "../../lib/service/store/mod.ts";
import { openForTests, openService } from "./engine.ts";
import { type Desk, openDesk } from "./harness.ts";

/** When everything happens, in milliseconds since 1970. */
export const NOW = Date.UTC(2026, 0, 31, 12);

/** A desk on SQLite. Its requests, those of its `service.fetch` too, also go to one on PostgreSQL. */
export interface TwinDesk extends Desk {
  /** How many answers were compared. */
  compared(): number;
}

/**
 * Tokens, keys and signing secrets: they are random on each service. In texts that come from one, the
 * other's stand at the same places.
 */
const SECRETS =
  /\b(?:atk|rtk|whsec|appl|goog|amzn|mac|strp|rcb|test|svcbin)_[\w+/=-]{16,}|signature=[\w-]+|(?<="(?:session|fetch_token)":"|session=)[\w+/=-]+/g;

/** Opens both services. `open` opens the store of the one on PostgreSQL. */
export async function openTwins(
  open: (options: StoreOptions) => Promise<Store> = openForTests,
): Promise<TwinDesk> {
  const secrets = new Map<string, string>();
  let compared = 0;
  const shared = { clock: () => NOW, adminSecret: "adm_x" } as const;
  // Nothing happens beside the requests: no timer, and no delivery.
  const usual = { ...shared, buyers: true, role: "api", webhookTargets: "loopback" } as const;
  const other = await openService({ ...usual, random: pinned(), open });
  const send = async (request: Request, pass: (request: Request) => Promise<Response>) => {
    const twin = await twinOf(request, secrets);
    const [ours, theirs] = [await pass(request), await other.fetch(twin)];
    const [text, told] = [await ours.clone().text(), await theirs.text()];
    learn(text, told, secrets);
    compare(request, [ours, text], [theirs, told]);
    compared++;
    return ours;
  };
  const desk = await openDesk({
    ...usual,
    random: pinned(),
    open: (options) => openDatabase({ ...options, backwards: true }),
    intercept: send,
  });
  await pair(desk, other, secrets);
  const { service } = desk;
  return {
    ...desk,
    service: { ...service, fetch: (request) => send(request, service.fetch) },
    compared: () => compared,
    async [Symbol.asyncDispose]() {
      await desk[Symbol.asyncDispose]();
      await other[Symbol.asyncDispose]();
    },
  };
}

/** The same bytes for both services. */
function pinned(): (count: number) => Uint8Array {
  let state = 0x2545f491;
  return (count) =>
    Uint8Array.from({ length: count }, () => {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      return state & 0xff;
    });
}

/** Learns the other service's token for the desk's own one. */
async function pair(desk: Desk, other: Service, secrets: Map<string, string>): Promise<void> {
  const { refresh_token: refresh, access_token: access } = await other.oauth.issueToken();
  secrets.set("own", access);
  secrets.set(desk.env.CLI_REFRESH_TOKEN ?? "", refresh ?? "");
}

/** The same request in the words of the other service. */
async function twinOf(request: Request, secrets: ReadonlyMap<string, string>): Promise<Request> {
  const { method, url } = request;
  const swap = (text: string) =>
    text.replace(
      SECRETS,
      (one) => secrets.get(one) ?? (/^atk_/.test(one) ? secrets.get("own") : undefined) ?? one,
    );
  const headers = new Headers();
  request.headers.forEach((value, name) => headers.set(name, swap(value)));
  const body = request.body === null ? null : swap(await request.clone().text());
  return new Request(swap(url), { method, headers, body, redirect: "manual" });
}

/** Learns the secrets in two answers, which stand at the same places. */
function learn(text: string, told: string, secrets: Map<string, string>): void {
  const [ours, theirs] = [text.match(SECRETS) ?? [], told.match(SECRETS) ?? []];
  if (ours.length !== theirs.length) return;
  ours.forEach((one, i) => secrets.set(one, theirs[i] ?? one));
}

/** Fails when two answers differ in status, type, place or body. */
function compare(
  { method, url }: Request,
  [ours, text]: [Response, string],
  [theirs, told]: [Response, string],
): void {
  // Metrics are measured.
  if (new URL(url).pathname === "/metrics") return equal(theirs.status, ours.status);
  const facts = ({ status, headers }: Response) =>
    [
      status,
      ...["Content-Type", "Location", "Retry-After", "ETag"].map((name) => headers.get(name)),
    ]
      .join(" ").replaceAll(SECRETS, "…");
  const bodies = [text, told].map((body) => body.replaceAll(SECRETS, "…"));
  const [sqlite = "", postgres = ""] = bodies;
  if (facts(ours) === facts(theirs) && sqlite === postgres) return;
  let at = 0;
  while (at < sqlite.length && sqlite[at] === postgres[at]) at++;
  const near = (body: string) => body.slice(Math.max(0, at - 120), at + 120);
  throw new AssertionError({
    message: `The engines answer ${method} ${url} differently, at ${at}:\n` +
      `SQLite: ${facts(ours)} ${near(sqlite)}\nPostgreSQL: ${facts(theirs)} ${near(postgres)}`,
  });
}
