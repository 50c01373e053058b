/**
 * The whole service as a function from request to response, on one database.
 *
 * @module
 */

import {
  type Clock,
  type Later,
  steadyClock,
  systemClock,
  systemLater,
  systemStopwatch,
} from "./time/clock.ts";
import { type Deliverer, type Delivery, openDelivery, type ScheduleName } from "./events/mod.ts";
import { Refusal } from "./contract/errors.ts";
import type { Dialect } from "./contract/spelling.ts";
import { agreeWithOthers, secretsOf } from "./http/admin_secret.ts";
import { createGuard, type Guard } from "./http/guard.ts";
import { newToken } from "./records/ids.ts";
import { type RandomSource, sourceOf, withIds } from "./records/random.ts";
import type { Lifetimes, OAuth, SignInChoice } from "./oauth/mod.ts";
import { openOAuth } from "./oauth/open.ts";
import { LOCAL_LIMITS, type RateLimits } from "./http/rates.ts";
import { openRateCounter } from "./http/shared_rates.ts";
import { ensureFileKey } from "./records/file_key.ts";
import type { SeedOptions } from "./seed/seed.ts";
import { createRequestMetrics } from "./http/metrics.ts";
import { refuse } from "./http/respond.ts";
import { answerPreflight, createOrigins, isForApps, openToPage } from "./http/origins.ts";
import type { ServerParts } from "./http/server.ts";
import { type Doors, openDoors } from "./doors.ts";
import { isHealthPath } from "./health.ts";
import { setDialect } from "./ledger/dialect.ts";
import { createCatchUp } from "./ledger/catch_up.ts";
import { createRequestFaults, type RequestFaults } from "./sim/faults.ts";
import { openFaultList } from "./sim/open_faults.ts";
import {
  fixed,
  holdBack,
  openDatabase,
  outageIn,
  plainly,
  type Store,
  type StoreOptions,
  type TextTx,
  type WatchedStore,
  watchStore,
} from "./store/mod.ts";
import { keepUp, tidyIn } from "./timers.ts";
import { type TargetPolicy } from "./outbound/judge.ts";
import { createTargets } from "./outbound/targets.ts";
import type { Network } from "./outbound/connect.ts";

export { LOCAL_LIMITS, PUBLIC_LIMITS } from "./http/rates.ts";

/** A running service. */
export interface Service {
  /** Answers a request from an address. Without one it counts as a request of this process. */
  fetch(request: Request, sender?: string): Promise<Response>;
  /** The oldest project of this database, if any. In a new one it is the demonstration project. */
  readonly projectId: string | undefined;
  /** The secret for `/_sim`. */
  readonly adminSecret: string;
  /** Issues tokens for the program that starts the service. */
  readonly oauth: OAuth;
  /** The database. */
  readonly store: Store;
  /** Loads the code for all requests, so that the first ones need not wait for it. */
  warm(): Promise<void>;
  /** Runs the steps due in all projects. A timer also does this every second. */
  catchUp(): Promise<void>;
  /** Whether a project has run some of its due steps, and not yet all. */
  isCatchingUp(): Promise<boolean>;
  /** Deletes old data of deliveries. A timer also does this every hour. */
  prune(): Promise<void>;
  /** The worker that sends events to webhooks. */
  readonly deliverer: Deliverer;
  /** From now on `/health/ready` answers 503, so that balancers send no more requests. All else goes on. */
  retire(): void;
  /** Answers requests that wait for events or for an attempt. */
  stopWaiting(): void;
  /** Finishes work in progress and closes the database. */
  close(): Promise<void>;
}

/**
 * What a process does of the work on a database that several share: answer requests, deliver events
 * and let time pass, or both.
 */
export type Role = "api" | "worker" | "all";

/** How to run the service. */
export interface ServiceOptions {
  /** The database: a file, `:memory:`, or an address such as `postgres://user@host/name`. */
  database: string;
  /** Wall time. Default: the machine's clock. */
  clock?: Clock | undefined;
  /** Whether to create a new database without the demonstration project. Default false. */
  empty?: boolean | undefined;
  /** Whether the demonstration project sells coins and has buyers. Default true. */
  buyers?: boolean | undefined;
  /** The secret for `/_sim`. Default: a new one. */
  adminSecret?: string | undefined;
  /** The secret before this one, while it is changed: it opens the same. Default: none. */
  formerAdminSecret?: string | undefined;
  /** The secret that opens `/metrics` and nothing else. Default: only the admin secret does. */
  metricsSecret?: string | undefined;
  /** Requests per minute for each caller. Default: too many for a script to reach. */
  rateLimits?: RateLimits | undefined;
  /**
   * Accepted hosts besides loopback. With `0.0.0.0` or `::` among them every IP address is
   * accepted.
   */
  hosts?: readonly string[] | undefined;
  /** Origins, besides those of this machine, whose web pages may use the addresses for apps. */
  allowOrigins?: readonly string[] | undefined;
  /** The address for browsers. Default: that of the request. */
  publicUrl?: string | undefined;
  /** How people authenticate. Default: they choose an account. */
  signIn?: SignInChoice | undefined;
  /** For tests without a browser: the account that allows every sign-in without asking. */
  autoApprove?: string | undefined;
  /** The allowed webhook targets. Default: the Internet. */
  webhookTargets?: TargetPolicy | undefined;
  /** The retry schedule of webhooks. Default: that of the public API. */
  webhookSchedule?: ScheduleName | undefined;
  /** The timer of deliveries. Default: the machine's. */
  later?: Later | undefined;
  /** The network for requests to other machines. Default: this machine's. */
  network?: Network | undefined;
  /** The lifetimes of tokens, if they differ from the defaults. */
  lifetimes?: Partial<Lifetimes> | undefined;
  /**
   * The dialect of answers. The public dialect also has further operations. Default: the
   * specification's.
   */
  dialect?: Dialect | undefined;
  /** What this process does of the work on a shared database. Default: all. */
  role?: Role | undefined;
  /** Opens the database. Default: with the engine of its address. */
  open?: ((options: StoreOptions) => Store | Promise<Store>) | undefined;
  /**
   * Returns the random bytes for ids, so that the same requests make the same ids. Tokens and
   * secrets do not use it. Default: the machine's.
   */
  random?: RandomSource | undefined;
  /** Called for internal errors. Default: nothing. */
  report?: ((error: unknown) => void) | undefined;
}

/**
 * Opens the service on a database, and creates and fills a new one.
 *
 * @throws {ConfigError} when the database's schema is newer than this version.
 */
export async function openService(options: ServiceOptions): Promise<Service> {
  if (!options.random) return await openWith(options);
  const source = sourceOf(options.random);
  const service = await withIds(source, () => openWith(options));
  const { fetch } = service;
  return { ...service, fetch: (request, sender) => withIds(source, () => fetch(request, sender)) };
}

/** Opens the service. Its timers use the caller's random source for ids. */
async function openWith(options: ServiceOptions): Promise<Service> {
  const { later = systemLater, network, role = "all" } = options;
  const { store: watched, report, wall, opened: begun } = await openWatched(options);
  await agreeWithOthers(watched, options, wall());
  const targets = createTargets(options.webhookTargets ?? "public", {
    network,
    time: { clock: wall, later },
  });
  const surroundings = { clock: wall, later, targets, report };
  const works = { schedule: options.webhookSchedule, delivers: role !== "api" };
  const opened = await openDelivery({ ...surroundings, ...works, store: watched });
  const { store, ...delivery } = opened;
  const { empty = false, buyers = true, hosts = [] } = options;
  const projectId = await fill(store, { now: wall(), empty, buyers }, options.dialect);
  const oauth = await openSignIn(options, { store, clock: wall, report });
  const limits = options.rateLimits ?? LOCAL_LIMITS;
  const rates = openRateCounter({ limits, clock: wall, others: store.others });
  const clock = steadyClock(wall, await latestMoment(store));
  const catchUp = createCatchUp(store, clock);
  const { authenticate } = oauth;
  const { dialect = "specified", adminSecret = newToken("adm_") } = options;
  const world = { store, clock, targets, dialect, report };
  const requests = createRequestMetrics();
  const { observe } = requests;
  const parts: ServerParts = { ...world, catchUp, rates, authenticate, observe };
  const faults = createRequestFaults(later, await openFaultList(store));
  let isRetired = false;
  const guard = createGuard(hosts, createOrigins(options.allowOrigins ?? []), options.publicUrl);
  const doors = openDoors({
    ...parts,
    delivery,
    oauth,
    faults,
    adminSecrets: secretsOf(adminSecret, options.formerAdminSecret),
    metricsSecret: options.metricsSecret,
    check: watched.check,
    isRetired: () => isRetired,
    requests,
  });
  const { deliverer, pruner } = delivery;
  const timers = works.delivers ? keepUp({ ...parts, clock: wall, pruner, deliverer }) : [];
  if (works.delivers) await deliverer.start();
  begun();
  return {
    projectId,
    adminSecret,
    oauth,
    store,
    deliverer,
    catchUp: catchUp.all,
    isCatchingUp: async () => (await catchUp.progress()).length > 0,
    prune: pruner.prune,
    warm: doors.warm,
    retire: () => void (isRetired = true),
    fetch: (request, sender = "") => answer(request, doors, { guard, parts, sender, role, faults }),
    ...endings({ ...parts, delivery, doors, timers }),
  };
}

/** The ways in which a service ends. */
function endings(
  { store, catchUp, rates, targets, delivery, doors, timers, report }:
    & Pick<ServerParts, "store" | "catchUp" | "rates" | "targets" | "report">
    & { delivery: Omit<Delivery, "store">; doors: Doors }
    & { timers: readonly ReturnType<typeof setInterval>[] },
): Pick<Service, "stopWaiting" | "close"> {
  const { deliverer, listeners, pruner } = delivery;
  return {
    stopWaiting() {
      delivery.hush();
      listeners.stop();
      catchUp.stop().catch(report);
      deliverer.stop().catch(report);
    },
    async close() {
      timers.forEach(clearInterval);
      delivery.hush();
      listeners.stop();
      for (const { stop } of [catchUp, deliverer, pruner, doors, rates]) await stop();
      targets.close();
      await store.close();
    },
  };
}

/** Sets up signing in. */
async function openSignIn(
  { lifetimes, autoApprove, publicUrl: issuer, signIn }: ServiceOptions,
  parts: Pick<ServerParts, "store" | "clock" | "report">,
): Promise<OAuth> {
  return await openOAuth({ ...parts, lifetimes, autoApprove, issuer, signIn });
}

/** Opens the database, and creates the reporter of internal errors and the clock. */
async function openWatched(
  { database: file, open = openDatabase, report = () => {}, clock, role }: ServiceOptions,
): Promise<{ store: WatchedStore; report(error: unknown): void; wall: Clock; opened(): void }> {
  const machine = clock ?? systemClock;
  const outages = holdBack(report);
  const store = await open({ file, role, clock: machine, stopwatch: systemStopwatch, say: report });
  const { others } = store;
  return {
    store: watchStore(store, machine, outages.say),
    opened: outages.release,
    // An outage of the store is reported once, for all requests and workers.
    report(error) {
      if (!outageIn(error)) report(error);
    },
    // The clocks of hosts differ, so all processes use the time of the database.
    // Whole milliseconds: a column of integers takes no others.
    wall: others ? () => Math.floor(machine() + (clock ? 0 : others.skew())) : machine,
  };
}

/** The parts of the service that a request passes. */
interface Passage {
  /** The check of hosts and origins. */
  guard: Guard;
  /** The parts of the servers. */
  parts: ServerParts;
  /** The client's address. */
  sender: string;
  /** What this process does. */
  role: Role;
  /** The faults that the simulator injects. */
  faults: RequestFaults;
}

/** Answers a request. */
async function answer(
  request: Request,
  { sim, api, sdk, open }: Doors,
  { guard, parts, sender, role, faults }: Passage,
): Promise<Response> {
  let pathname: string | undefined;
  try {
    pathname = guard(request);
    const isApp = isForApps(pathname);
    if (role === "worker" && !isHealthPath(pathname) && pathname !== "/metrics") {
      throw onlyWorks(isApp);
    }
    // Requests to the simulator meet no injected faults.
    if (pathname.startsWith("/_sim/")) return await sim(request);
    const server = /^\/v2(\/|$)/.test(pathname) ? api : isApp ? sdk : open;
    const answered = isApp ? answerPreflight(request) : undefined;
    const response = answered ?? await faults.meet(request, () => server(request, sender));
    return isApp ? openToPage(request, response) : response;
  } catch (error) {
    pathname ??= URL.parse(request.url)?.pathname ?? "";
    if (!isForApps(pathname)) return refuse(error, parts);
    const { refuseSdk } = await import("./http/sdk_server.ts");
    return refuseSdk(error, parts);
  }
}

/**
 * The refusal of a process that answers nothing but how it is. Another try at the same address would not
 * help; but SDKs give up a purchase that is refused with a status under 500.
 */
function onlyWorks(isApp: boolean): Refusal {
  const message = "This process only delivers events and lets time pass (--role worker): send " +
    "requests to one with --role api or --role all";
  return isApp
    ? new Refusal(503, "server_error", message)
    : new Refusal(421, "invalid_request", message);
}

/** Fills a database without an owner, sets it up, and tidies it. Returns its oldest project. */
async function fill(
  store: Store,
  options: SeedOptions,
  dialect: Dialect = "specified",
): Promise<string | undefined> {
  const present = plainly(async (tx) => {
    if (await isEmpty(tx)) return undefined;
    await ensureFileKey(tx);
    await setDialect(tx, dialect);
    await tidyIn(tx, options.now);
    return { oldest: await oldestProject(tx) };
  });
  const found = await store.write(present);
  if (found) return found.oldest;
  const { seed } = await import("./seed/seed.ts");
  return await store.write(plainly(async (tx) => {
    // Another process may have done it meanwhile.
    if (!await isEmpty(tx)) return await oldestProject(tx);
    await ensureFileKey(tx);
    await setDialect(tx, dialect);
    return (await seed(tx, options)).project_id;
  }));
}

/** Whether a database has no owner. */
async function isEmpty(tx: TextTx): Promise<boolean> {
  const { rows } = await fixed`select id from accounts limit 1`.execute(tx);
  return rows.length === 0;
}

/** The id of a database's oldest project. */
async function oldestProject(tx: TextTx): Promise<string | undefined> {
  // All projects: a new client begins with the oldest.
  const { rows: [oldest] } = await fixed<{ id: string }>`
    select id from projects order by seq limit 1`.execute(tx);
  return oldest?.id;
}

/**
 * The wall time of the latest recorded payment or other movement. After a clock was set back, a
 * refund must not be older than its payment.
 */
async function latestMoment(store: Store): Promise<number> {
  // All projects: the service's clock must not be behind any of them.
  const { rows: moments } = await store.read(plainly((tx) =>
    fixed<{ at: number | null }>`
      select (
        select max(at) from movements where movements.project_id = projects.id
      ) - clock_offset as at
      from projects where clock_frozen_at is null`.execute(tx)
  ));
  return Math.max(0, ...moments.map(({ at }) => at ?? 0));
}
