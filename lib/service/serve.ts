/**
 * The service on a port, with its data in a folder: the database, the admin secret, and a lock
 * against a second server.
 *
 * @module
 */

import { join } from "../config/paths.ts";
import { Cancelled, ConfigError } from "../errors.ts";
import { type Later, systemClock, systemLater } from "./time/clock.ts";
import type { Dialect } from "./contract/spelling.ts";
import type { ScheduleName } from "./events/mod.ts";
import { addressFor, cannotListen, hostsOf, publicOrigin } from "./http/address.ts";
import { takePort } from "./http/connections.ts";
import { checkExposure, type Exposure, needsTls } from "./http/exposure.ts";
import type { Answerer } from "./http/mount.ts";
import { type Listener, type Port, withinTime } from "./http/port.ts";
import { newToken } from "./records/ids.ts";
import type { SignInChoice } from "./oauth/mod.ts";
import {
  LOCAL_LIMITS,
  openService,
  PUBLIC_LIMITS,
  type Role,
  type Service,
  type ServiceOptions,
} from "./mod.ts";
import { logged, type LogSink, reportingTo } from "./http/request_log.ts";
import { DATABASE } from "./store/data_folder.ts";
import { closeToOthers } from "./store/exposure.ts";
import { type FolderLock, lockFolder, refuseHeld, writeAddress } from "./store/lock.ts";
import { keepSecret, refuseSame, secretsOf } from "./http/admin_secret.ts";
import { startFailure } from "./store/mod.ts";
import type { TargetPolicy } from "./outbound/judge.ts";

/** How to serve. */
export interface ServeOptions {
  /** The data folder; undefined keeps everything in memory. */
  folder: string | undefined;
  /** Fills a new data folder, once the port is taken. Default: the folder stays as it is. */
  fill?: (() => Promise<void>) | undefined;
  /**
   * The address of a database on a server, in place of a folder, and the secret of its administrator:
   * the same for all processes on it, and the one before that while it is changed.
   */
  server?: { database: string; adminSecret: string; formerAdminSecret?: string } | undefined;
  /** The secret that opens `/metrics` alone, also without TLS. Default: none. */
  metricsSecret?: string | undefined;
  /** What this process does of the work on a shared database. Default: all. */
  role?: Role | undefined;
  /** The port; 0 takes any free one. */
  port: number;
  /** The address to listen on. */
  host: string;
  /** Further accepted host names. Default: none. */
  names?: readonly string[] | undefined;
  /** The address that browsers use, such as `https://subscriptions.example.com`. */
  publicUrl?: string | undefined;
  /** How people authenticate. Default: not at all, which only loopback allows. */
  signIn?: SignInChoice | undefined;
  /** Files in PEM with a certificate and its key. Default: plain HTTP. */
  tls?: { certFile: string; keyFile: string } | undefined;
  /** Trusted proxies, as addresses and networks. Default: none. */
  proxies?: readonly string[] | undefined;
  /** Origins, besides those of this machine, whose web pages may use the addresses for apps. */
  allowOrigins?: readonly string[] | undefined;
  /** Whether to create a new database without the demonstration project. */
  empty: boolean;
  /** The rate limits. */
  rateLimits: "local" | "public";
  /** The allowed webhook targets. Default: the Internet. */
  webhookTargets?: TargetPolicy | undefined;
  /** The retry schedule of webhooks. Default: that of the public API. */
  webhookSchedule?: ScheduleName | undefined;
  /** The dialect: its names in answers, and its operations. Default: the specification's. */
  dialect?: Dialect | undefined;
  /** Called for internal errors, and for messages about a slow start. */
  report(error: unknown): void;
  /** Writes the log as JSON lines: requests, and everything reported. Default: no log. */
  log?: LogSink | undefined;
  /**
   * How many seconds to go on answering after the beginning of a stop, while `/health/ready` answers
   * 503: the time for a balancer to notice. Default: 0.
   */
  drainS?: number | undefined;
  /** The timer that loads the code for all requests. Default: the machine's. */
  later?: Later | undefined;
  /** Aborts a slow start. */
  signal?: AbortSignal | undefined;
}

/** A service that listens. */
export interface Server {
  /** Its address, such as `http://127.0.0.1:4010`. */
  readonly baseUrl: string;
  /** Its oldest project, if any. */
  readonly projectId: string | undefined;
  /** The secret for `/_sim`. */
  readonly adminSecret: string;
  /** The name of this process on a database that several share. */
  readonly holder: string | undefined;
  /** The number of closed connections, by limit. */
  readonly closed: Listener["closed"];
  /**
   * Goes on answering for the time to drain, then finishes requests in progress, closes the database and
   * unlocks the folder, within ten more seconds.
   */
  stop(): Promise<void>;
}

/**
 * Starts the service.
 *
 * @throws {ConfigError} when the port is in use, or another server uses the folder.
 * @throws {UsageError} for an invalid name, public address, proxy or origin.
 * @throws {Cancelled} when the signal fires before the service listens.
 */
export async function serve(given: ServeOptions): Promise<Server> {
  const { log, server: shared } = given;
  const folder = shared ? undefined : given.folder;
  const options = log ? { ...given, report: reportingTo(log, systemClock) } : given;
  const { signIn } = options;
  const publicUrl = options.publicUrl && publicOrigin(options.publicUrl);
  const protection = { signIn: signIn !== undefined, tls: options.tls !== undefined, publicUrl };
  checkExposure(exposureOf(options), protection);
  const pass = await passageOf(options);
  const hosts = [...hostsOf(options), ...publicUrl ? [new URL(publicUrl).hostname] : []];
  const port = await takeFree(options, folder);
  let lock: FolderLock | undefined;
  try {
    await options.fill?.();
    lock = folder === undefined ? undefined : await lockFolder(folder);
    if (folder !== undefined) await closeToOthers(folder, options.report);
    const adminSecret = shared?.adminSecret ??
      (folder === undefined ? newToken("adm_") : await keepSecret(folder));
    const formerAdminSecret = shared?.formerAdminSecret;
    const { metricsSecret } = options;
    if (metricsSecret) refuseSame(metricsSecret, secretsOf(adminSecret, formerAdminSecret));
    const service = await openKnown({
      database: shared?.database ?? (folder === undefined ? ":memory:" : join(folder, DATABASE)),
      role: options.role,
      empty: options.empty,
      adminSecret,
      formerAdminSecret,
      metricsSecret,
      rateLimits: options.rateLimits === "public" ? PUBLIC_LIMITS : LOCAL_LIMITS,
      hosts,
      publicUrl,
      signIn,
      allowOrigins: options.allowOrigins,
      webhookTargets: options.webhookTargets,
      webhookSchedule: options.webhookSchedule,
      dialect: options.dialect,
      report: options.report,
    });
    if (options.signal?.aborted) {
      await service.close();
      throw new Cancelled("Cannot start the service: interrupted");
    }
    return await open({ ...options, publicUrl }, service, { port, pass, lock });
  } catch (error) {
    port.close();
    // The reason of the failure matters more than what follows from it.
    await lock?.release().catch(options.report);
    throw error;
  }
}

/** Who can reach the service. */
function exposureOf({ host, server, proxies = [] }: ServeOptions): Exposure {
  return { host, engine: server ? "postgres" : "sqlite", proxies };
}

/** Opens the service. Damage in the database, or its loss, may appear only at first use. */
async function openKnown(options: ServiceOptions): Promise<Service> {
  try {
    return await openService(options);
  } catch (error) {
    throw await startFailure(options.database, error);
  }
}

/** The time after which a service loads the code for all requests, in milliseconds. */
const WARM_AFTER_MS = 500;

/**
 * Loads the code for all requests, once the first ones had their turn. The function that is returned
 * calls it off.
 */
function warmSoon(
  service: Service,
  { role, later = systemLater, report }: ServeOptions,
): () => void {
  if (role === "worker") return () => {};
  return later(WARM_AFTER_MS, () => service.warm().catch(report));
}

/** How often the service looks whether to announce that it is catching up, in milliseconds. */
const PATIENCE_MS = 1000;

/**
 * Catches up with steps due since the last stop, while the service already answers. Says so when it
 * takes long; a project that only waits for its turn has no progress.
 */
export function announceCatchUp(
  service: Pick<Service, "catchUp" | "isCatchingUp">,
  report: (message: unknown) => void,
): void {
  const timer = setInterval(async () => {
    if (!await service.isCatchingUp().catch(() => false)) return;
    clearInterval(timer);
    report(
      "Catching up with steps due since the last run. Until that is done, requests to those " +
        "projects return 503. See: cli service status",
    );
  }, PATIENCE_MS);
  // The worker retries failures every second.
  service.catchUp().catch(report).finally(() => clearInterval(timer));
}

/** The longest time for a stop and, within it, for requests in progress, in milliseconds. */
export const STOP_MS = 10_000;
const ANSWERING_MS = 8000;

/** Makes what stands between the port and the service: it reads what trusted proxies say. */
async function passageOf(options: ServeOptions): Promise<(answer: Answerer) => Answerer> {
  const { host, proxies = [], metricsSecret } = options;
  const onlyTls = needsTls(exposureOf(options));
  // Without proxies only a service that speaks TLS itself is open to other machines.
  if (proxies.length === 0) return (answer) => answer;
  const { throughProxies } = await import("./http/proxies.ts");
  return throughProxies({ proxies, host, onlyTls, metricsSecret });
}

/** Takes the port before anything is made in the data folder. */
async function takeFree(options: ServeOptions, folder: string | undefined): Promise<Port> {
  const { host, port, report } = options;
  const hostname = host.replace(/^\[(.*)\]$/, "$1");
  const tls = options.tls && await readTls(options.tls);
  try {
    return takePort({ hostname, port, report, tls });
  } catch (error) {
    if (options.tls && isOfOtherKey(error)) throw wrongKey(options.tls, error);
    if (options.tls && error instanceof Deno.errors.InvalidData) {
      throw unusableCertificate(options.tls.certFile, error);
    }
    // Often it is the service of the same folder that has the port.
    if (folder !== undefined && error instanceof Deno.errors.AddrInUse) await refuseHeld(folder);
    throw cannotListen(host, port, error);
  }
}

/** Reads a certificate and its key. */
async function readTls(
  { certFile, keyFile }: { certFile: string; keyFile: string },
): Promise<{ cert: string; key: string }> {
  const read = async (file: string) => {
    try {
      return await Deno.readTextFile(file);
    } catch (error) {
      throw unusableCertificate(file, error);
    }
  };
  return { cert: await read(certFile), key: await read(keyFile) };
}

/** Whether a key is not that of the certificate: the runtime has no class for it. */
function isOfOtherKey(error: unknown): boolean {
  return error instanceof Error && /KeyMismatch/.test(error.message);
}

function wrongKey(
  { certFile, keyFile }: { certFile: string; keyFile: string },
  cause: unknown,
): ConfigError {
  const [key, certificate] = [keyFile, certFile].map((file) => JSON.stringify(file));
  const message = `Cannot use ${key} for TLS: it is not the key of the certificate ${certificate}`;
  const hint = "Pass as --tls-key the key that was made with the certificate of --tls-cert.";
  return new ConfigError(message, { hint, cause });
}

function unusableCertificate(file: string, error: unknown): ConfigError {
  const why = error instanceof Error ? error.message : String(error);
  return new ConfigError(`Cannot use ${JSON.stringify(file)} for TLS: ${why}`, {
    hint: "Pass a certificate in PEM as --tls-cert, and its private key as --tls-key.",
    cause: error,
  });
}

/** What a service answers with. */
interface Entrance {
  /** The port. */
  port: Port;
  /** What stands between the port and the service. */
  pass: (answer: Answerer) => Answerer;
  /** The lock of the data folder, if there is one. */
  lock: FolderLock | undefined;
}

/** Lets the service answer on its port. */
async function open(
  options: ServeOptions,
  service: Service,
  { port, pass, lock }: Entrance,
): Promise<Server> {
  const { host, log, report } = options;
  const answer = log ? logged(service.fetch, log, systemClock) : service.fetch;
  const listener = port.answer(pass(answer));
  const baseUrl = options.tls
    ? options.publicUrl ?? addressFor(host, listener.port, "https")
    : addressFor(host, listener.port);
  const end = async () => {
    service.stopWaiting();
    await listener.stop(ANSWERING_MS);
    await service.close();
  };
  try {
    if (lock) {
      await writeAddress(lock, { pid: Deno.pid, base_url: baseUrl, started_at: systemClock() });
    }
  } catch (error) {
    await end();
    throw error;
  }
  announceCatchUp(service, report);
  const staysCold = warmSoon(service, options);
  const { drainS = 0 } = options;
  return {
    baseUrl,
    projectId: service.projectId,
    adminSecret: service.adminSecret,
    holder: service.store.others?.holder,
    closed: listener.closed,
    async stop() {
      try {
        staysCold();
        service.retire();
        if (drainS > 0) {
          listener.drain();
          await new Promise((resolve) => setTimeout(resolve, drainS * 1000));
        }
        // The database survives a kill, so a longer wait is not needed.
        await withinTime(end(), STOP_MS);
      } finally {
        await lock?.release();
      }
    },
  };
}
