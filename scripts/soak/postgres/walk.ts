/**
 * Walks a long list and follows a listener's events, each page through another process, while all
 * processes insert and delete.
 *
 * @module
 */

import { acrossProjects, openDatabase } from "../../../lib/service/store/mod.ts";
import type { Findings } from "./checks.ts";
import { type Fleet, type Role, startFleet } from "./fleet.ts";
import { randomFrom } from "./random.ts";
import { openReceiver } from "./receiver.ts";
import { openShop, type Shop } from "./shop.ts";

/** What to do. */
interface WalkOptions {
  /** The database. */
  database: string;
  /** The address by which the processes use it. */
  entrance: string;
  /** What each process does. */
  roles: readonly Role[];
  /** The number of customers at the start. */
  customers: number;
  /** A number from 0 to 1. */
  random(): number;
}

/** The rows of a page, and the most events of an answer. */
const PAGE = 1000;
const EVENTS = 50;

/** The writers at a time. */
const WRITERS = 6;

/** What the writers did. */
interface Changes {
  /** Customers whose creation was acknowledged, and when. */
  created: Map<string, number>;
  /** Customers that were deleted, or may be. */
  deleted: Set<string>;
  /** Whether the writers are to end. */
  stopped: boolean;
}

/** Walks and listens. */
export async function walkUnderChange(options: WalkOptions): Promise<Findings> {
  const { database, random } = options;
  const receiver = openReceiver(randomFrom(1));
  const fleet = await startFleet({ ...options, database: options.entrance });
  const wrong: string[] = [];
  try {
    const shop = await openShop(fleet, receiver.url, Date.UTC(2026, 0, 1));
    const first = await fill(database, shop.project, options.customers);
    const changes: Changes = { created: new Map(), deleted: new Set(), stopped: false };
    const stream = await openStream(fleet, shop, changes);
    const writing = Array.from({ length: WRITERS }, async () => {
      while (!changes.stopped) {
        await changeSomething(fleet, shop, { changes, first, random })
          .catch((error) => wrong.push(String(error)));
      }
    });
    const walk = await walkAll(fleet, shop);
    changes.stopped = true;
    await Promise.all(writing);
    const heard = await stream.heard;
    judgeWalk(walk, { first, changes }, wrong);
    const events = await eventsOf(database, shop.project);
    judgeStream(heard, events, wrong);
    wrong.push(...fleet.wrong);
    return {
      figures: {
        "customers at the start": first.length,
        "created meanwhile": changes.created.size,
        "deleted meanwhile": changes.deleted.size,
        "rows seen": walk.seen.length,
        pages: walk.pages,
        events: events.length,
        "events heard": heard.length,
      },
      wrong,
    };
  } finally {
    await fleet.close();
    await receiver.close();
  }
}

/** Writes customers, with the numbers that the service would give them. Returns their ids. */
async function fill(database: string, project: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, i) => `first-${i}`);
  const store = await openDatabase({ file: database, clock: Date.now });
  try {
    for (let from = 0; from < count; from += PAGE) {
      await store.write(async (tx) => {
        const all = acrossProjects(tx);
        const { last_seq } = await all.selectFrom("projects").select("last_seq")
          .where("id", "=", project).executeTakeFirstOrThrow();
        const rows = ids.slice(from, from + PAGE).map((id, i) => ({
          project_id: project,
          id,
          seq: last_seq + i + 1,
          first_seen_at: 1,
          last_seen_at: null,
          last_seen_app_version: null,
          last_seen_country: null,
          last_seen_platform: null,
          last_seen_platform_version: null,
        }));
        await all.insertInto("customers").values(rows).execute();
        await all.updateTable("projects").set({ last_seq: last_seq + rows.length })
          .where("id", "=", project).execute();
      }, project);
    }
  } finally {
    await store.close();
  }
  return ids;
}

/** Creates a customer, deletes one, or sells something, through any process. */
async function changeSomething(
  fleet: Fleet,
  { project, lifetime }: Shop,
  { changes, first, random }: { changes: Changes; first: readonly string[]; random(): number },
): Promise<void> {
  const dice = random();
  const path = `/v2/projects/${project}/customers`;
  if (dice < 0.4) {
    const id = `later-${crypto.randomUUID()}`;
    const reply = await fleet.ask({ method: "POST", path, body: { id } });
    if (reply.status === 201) changes.created.set(id, Date.now());
    return;
  }
  if (dice < 0.8) {
    const all = random() < 0.2 ? [...changes.created.keys()] : first;
    const id = all[Math.floor(random() * all.length)];
    if (id === undefined || changes.deleted.has(id)) return;
    changes.deleted.add(id);
    return void await fleet.ask({ method: "DELETE", path: `${path}/${id}` });
  }
  const body = { customer_id: `buyer-${crypto.randomUUID()}`, product_id: lifetime };
  await fleet.ask({ method: "POST", path: `/_sim/projects/${project}/purchases`, body });
}

/** A whole walk. */
interface Walk {
  /** The ids, in the order of the list. */
  seen: string[];
  /** The number of pages. */
  pages: number;
  /** When the last page was asked for. */
  lastAsked: number;
}

/** Reads the list of customers from its start to its end, each page through any process. */
async function walkAll(fleet: Fleet, { project }: Shop): Promise<Walk> {
  const walk: Walk = { seen: [], pages: 0, lastAsked: 0 };
  let path: string | undefined = `/v2/projects/${project}/customers?limit=${PAGE}`;
  while (path !== undefined) {
    walk.lastAsked = Date.now();
    const { status, body } = await fleet.ask({ method: "GET", path });
    if (status !== 200) throw new Error(`${path} was answered with ${status}`);
    const page = body as { items: { id: string }[]; next_page: string | null };
    walk.pages++;
    walk.seen.push(...page.items.map(({ id }) => id));
    path = page.next_page ?? undefined;
  }
  return walk;
}

/** Checks that every row that stayed was seen once. */
function judgeWalk(
  { seen, lastAsked }: Walk,
  { first, changes }: { first: readonly string[]; changes: Changes },
  wrong: string[],
): void {
  const once = new Set(seen);
  if (once.size !== seen.length) wrong.push(`${seen.length - once.size} customers were seen twice`);
  const early = [...changes.created].filter(([, at]) => at < lastAsked).map(([id]) => id);
  const missed = [...first, ...early].filter((id) => !changes.deleted.has(id) && !once.has(id));
  if (missed.length > 0) wrong.push(`${missed.length} customers were missed, such as ${missed[0]}`);
}

/** Opens a listener, and pulls its events until the writers have ended and none is left. */
async function openStream(
  fleet: Fleet,
  { project }: Shop,
  changes: Changes,
): Promise<{ heard: Promise<string[]> }> {
  const path = `/_sim/projects/${project}/listeners/soak`;
  const opened = await fleet.ask({ method: "POST", path, body: {} });
  const pull = async () => {
    const heard: string[] = [];
    for (;;) {
      const isLast = changes.stopped;
      const query = `?limit=${EVENTS}&wait_ms=${isLast ? 500 : 5000}`;
      const { body } = await fleet.ask({ method: "GET", path: `${path}/events${query}` });
      const ids = (body as { items: { id: string }[] }).items.map(({ id }) => id);
      heard.push(...ids);
      const last = ids.at(-1);
      if (last !== undefined) {
        await fleet.ask({ method: "POST", path: `${path}/ack`, body: { event_id: last } });
      } else if (isLast) return heard;
    }
  };
  // Nothing was sold before, so a new listener hears every event.
  if (opened.body.waiting !== 0) throw new Error("the listener is not new");
  return { heard: pull() };
}

async function eventsOf(database: string, project: string): Promise<string[]> {
  const store = await openDatabase({ file: database, clock: Date.now });
  try {
    const rows = await store.read((tx) =>
      acrossProjects(tx).selectFrom("events").select("id").where("project_id", "=", project)
        .orderBy("seq").execute()
    );
    return rows.map(({ id }) => id);
  } finally {
    await store.close();
  }
}

/** Checks that every event was heard once, and in order. */
function judgeStream(heard: readonly string[], events: readonly string[], wrong: string[]): void {
  const at = events.findIndex((id, i) => heard[i] !== id);
  if (at >= 0) wrong.push(`event ${at + 1} is ${events[at]}, and ${heard[at]} was heard`);
  if (heard.length > events.length) wrong.push(`${heard.length - events.length} events too many`);
  if (events.length === 0) wrong.push("nothing was sold");
}
