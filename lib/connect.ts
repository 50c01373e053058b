/**
 * From settings to a ready client: which service, which project, which sign-in.
 *
 * @module
 */

import { serviceAddress } from "./address.ts";
import {
  type FoundCredential,
  missingCredential,
  resolveCredential,
  type ResolvedCredential,
} from "./auth/credential.ts";
import { DEFAULT_BASE_URL } from "./auth/renewal.ts";
import type { BrowserOptions } from "./auth/sign_in.ts";
import type { TokenEndpoint } from "./auth/token.ts";
import {
  type Client,
  type ClientOptions,
  createClient,
  type Credential,
  type Exchange,
} from "./client.ts";
import { type ResolvedProject, resolveProject } from "./config/project.ts";
import type { StoredToken } from "./config/stored_token.ts";
import { setting, type Surroundings } from "./config/surroundings.ts";
import { platform } from "./platform/mod.ts";
import { VERSION } from "./version.ts";

export type { FoundCredential, ResolvedCredential } from "./auth/credential.ts";
export type { Origin } from "./config/origin.ts";
export type { FoundProject, ResolvedProject } from "./config/project.ts";
export type { Surroundings } from "./config/surroundings.ts";

/** The settings of {@linkcode connect}. What is left out comes from the surroundings. */
export interface ConnectOptions extends
  Pick<
    ClientOptions,
    "signal" | "timeoutMs" | "retries" | "longestWaitMs" | "onExchange"
  > {
  /** The project, as `--project-id` gives it. */
  projectId?: string | undefined;
  /** The name of a stored sign-in, as `--profile` gives it. */
  profile?: string | undefined;
  /** The service's address. Default: `CLI_BASE_URL`, else the sign-in's own, else the local service. */
  baseUrl?: string | undefined;
  /** A refresh token to sign in with, as `CLI_REFRESH_TOKEN` gives it. */
  refreshToken?: string | undefined;
  /**
   * Whether tokens may go over plain HTTP to another machine. Default: whether
   * `CLI_ALLOW_INSECURE_HOST` is set.
   */
  allowInsecureHost?: boolean | undefined;
  /** The machine to look at. Default: the real one. */
  surroundings?: Surroundings | undefined;
}

/** The service's address and where it comes from. */
export interface ResolvedBaseUrl {
  /** The address, without a slash at the end. */
  value: string;
  /** The sort of place: an option, `CLI_BASE_URL`, the sign-in, or none of them. */
  source: "option" | "environment" | "credential" | "default";
}

/** A client with all that was found out for it, for commands that show it. */
export interface Connection {
  /** The service's address. */
  baseUrl: ResolvedBaseUrl;
  /** The project that is meant. Undefined when none is set. */
  project: ResolvedProject | undefined;
  /** The sign-in that applies. Undefined when nobody is signed in. */
  credential: ResolvedCredential | undefined;
  /** The client. Without a sign-in, or with one from another service, its requests say so. */
  client: Client;
  /** The scopes of the sign-in, separated by spaces, where they are known by now. */
  grantedScope(): Promise<string | undefined>;
  /**
   * Makes a sign-in of its own for the account that is signed in, with tokens of its own, for another
   * place that is to keep one.
   */
  secondSignIn(): Promise<StoredToken>;
}

/** The settings of {@linkcode signIn}. */
export interface SignInOptions extends Omit<BrowserOptions, "complete"> {
  /** The service's address. Default: `CLI_BASE_URL`, else the local service. */
  baseUrl?: string | undefined;
  /** Whether tokens may go over plain HTTP to another machine, as in {@linkcode ConnectOptions}. */
  allowInsecureHost?: boolean | undefined;
  /** Ends the wait when it fires. */
  signal?: AbortSignal | undefined;
  /** The machine to sign in on. Default: the real one. */
  surroundings?: Surroundings | undefined;
  /**
   * Runs before the browser is told that all is well, with the sign-in and a client that uses it.
   * When it throws, the sign-in has failed and is revoked.
   */
  complete?: ((token: StoredToken, client: Client) => Promise<void>) | undefined;
}

/** The settings of {@linkcode signOut}. */
export interface SignOutOptions {
  /** Whether tokens may go over plain HTTP to another machine, as in {@linkcode ConnectOptions}. */
  allowInsecureHost?: boolean | undefined;
  /** Ends the wait between two tries when it fires. */
  signal?: AbortSignal | undefined;
  /** The machine to sign out on. Default: the real one. */
  surroundings?: Surroundings | undefined;
}

/**
 * Makes a client as the command line does: service, project and sign-in come from the options, the
 * environment, the working folder and the home folder, whichever names them first.
 *
 * It asks for no permission: a variable or file that the script may not read counts as not there. A
 * script that sets `CLI_REFRESH_TOKEN` and `CLI_PROJECT_ID` needs only `--allow-net=HOST` and
 * `--allow-env=CLI_*`. Without a sign-in, the first request fails with `AuthError`.
 *
 * @example
 * ```ts ignore
 * const client = await connect({ projectId: "proj1ab2c3d4" });
 * for await (const offering of each(client, listOfferings(client))) console.log(offering.lookup_key);
 * ```
 *
 * @throws {AuthError} when a profile is named that does not exist.
 * @throws {ConfigError} when a file of settings is malformed or exposed to others.
 */
export async function connect(options: ConnectOptions = {}): Promise<Client> {
  const around = options.surroundings ?? systemSurroundings();
  return (await openConnection(around, options, false)).client;
}

/**
 * Finds out what {@linkcode connect} would use, with where each part comes from and what it shadows.
 * It sends nothing. Throws as {@linkcode connect} does.
 */
export async function resolveConnection(
  surroundings: Surroundings,
  options: Omit<ConnectOptions, "surroundings"> = {},
): Promise<Connection> {
  return await openConnection(surroundings, options, true);
}

/**
 * Signs in with the person's browser, and gives what {@linkcode saveProfile} stores. Nothing is
 * stored yet. The script needs `--allow-net` for the service and for 127.0.0.1, where it listens for
 * the browser's answer, and `--allow-run=open,xdg-open,rundll32` if it is to start the browser.
 *
 * @example
 * ```ts ignore
 * const token = await signIn({ onUrl: (url) => console.log(`Open ${url}`) });
 * await saveProfile(systemSurroundings(), { name: "default", ...token });
 * ```
 *
 * @throws {AuthError} when the person or the service says no, or nobody answers within 5 minutes.
 * @throws {ConfigError} when the address is not the service's, or the script may not listen.
 * @throws {NetworkError} when the service does not answer.
 * @throws {Cancelled} when the signal fires.
 */
export async function signIn(options: SignInOptions): Promise<StoredToken> {
  const { signInWithBrowser } = await import("./auth/sign_in.ts");
  const { surroundings, baseUrl, signal, complete, allowInsecureHost, ...browser } = options;
  const around = surroundings ?? systemSurroundings();
  const address = resolveBaseUrl(around, baseUrl, undefined).value;
  const endpoint = await endpointAt(around, address, { signal, allowInsecureHost });
  const client = createClient({ ...clientSettings(endpoint), baseUrl: address });
  return await signInWithBrowser(endpoint, {
    ...browser,
    ...complete && {
      complete: (token) => complete(token, client.with({ credential: token.access_token })),
    },
  });
}

/**
 * Ends a sign-in at the service that issued it: none of its tokens is good any more. What is stored
 * of it stays; {@linkcode removeProfile} removes a profile.
 *
 * @throws {AuthError} when the service refuses.
 * @throws {NetworkError} when the service does not answer.
 */
export async function signOut(token: StoredToken, options: SignOutOptions = {}): Promise<void> {
  const { revokeToken } = await import("./auth/revoke.ts");
  const around = options.surroundings ?? systemSurroundings();
  const address = serviceAddress(token.base_url ?? DEFAULT_BASE_URL);
  await revokeToken(await endpointAt(around, address, options), token);
}

/**
 * The machine as it is. Each part is read when it is used. What Deno does not allow to read counts
 * as unset, and nothing asks for permission.
 */
export function systemSurroundings(): Surroundings {
  const home = platform.os === "windows" ? "USERPROFILE" : "HOME";
  return {
    env: readVariable,
    get cwd() {
      return workingFolder();
    },
    get home() {
      return readVariable(home) || undefined;
    },
    now: () => Date.now(),
    platform: platform.os,
    // A script has no Context, and its standard output belongs to the script.
    // deno-lint-ignore house/terminal
    warn: (text) => console.error(text),
  };
}

/** Puts the parts together. */
async function openConnection(
  around: Surroundings,
  options: ConnectOptions,
  withShadows: boolean,
): Promise<Connection> {
  const { projectId, profile, refreshToken } = options;
  const project = await resolveProject(around, { projectId, withShadows });
  const credential = await resolveCredential(around, { profile, refreshToken, withShadows });
  const baseUrl = resolveBaseUrl(around, options.baseUrl, credential);
  const endpoint = await endpointAt(around, baseUrl.value, options);
  const opened = credential ? credential.open(endpoint) : absentCredential(around);
  const client = createClient({
    ...clientSettings(endpoint),
    baseUrl: baseUrl.value,
    credential: opened,
    ...project ? { projectId: project.id } : hiddenProject(),
    ...options.timeoutMs !== undefined && { timeoutMs: options.timeoutMs },
    ...options.retries !== undefined && { retries: options.retries },
    ...options.longestWaitMs !== undefined && { longestWaitMs: options.longestWaitMs },
  });
  return {
    baseUrl,
    project,
    credential,
    client,
    grantedScope: async () => await credential?.scopeAt(baseUrl.value),
    secondSignIn: async () => {
      const { exchangeToken } = await import("./auth/exchange.ts");
      const accessToken = typeof opened === "string" ? opened : await opened(undefined);
      return await exchangeToken(endpoint, { accessToken, clientId: credential?.clientId });
    },
  };
}

/** What a way to the OAuth addresses depends on. */
type EndpointOptions = Partial<
  Pick<TokenEndpoint, "signal" | "onExchange" | "allowInsecureHost">
>;

/** How to reach the OAuth addresses of a service. */
async function endpointAt(
  around: Surroundings,
  baseUrl: string,
  options: EndpointOptions,
): Promise<TokenEndpoint> {
  const onExchange = await exchangeListener(around, options.onExchange);
  const allowInsecureHost = options.allowInsecureHost ??
    setting(around, "CLI_ALLOW_INSECURE_HOST") !== undefined;
  const userAgent = `cli/${VERSION}`;
  return { baseUrl, around, signal: options.signal, onExchange, userAgent, allowInsecureHost };
}

/** What a client shares with the way to the OAuth addresses. */
function clientSettings(
  { around, signal, onExchange, userAgent, allowInsecureHost = false }: TokenEndpoint,
) {
  return {
    ...userAgent !== undefined && { userAgent },
    ...signal && { signal },
    allowInsecureHost,
    onWait: (ms: number, status: number | undefined) => announceWait(around, ms, status),
    ...onExchange && { onExchange },
    ...around.fetch && { fetch: around.fetch },
    ...around.pause && { pause: around.pause },
  };
}

/** Finds the service's address. */
function resolveBaseUrl(
  around: Surroundings,
  option: string | undefined,
  credential: FoundCredential | undefined,
): ResolvedBaseUrl {
  const variable = setting(around, "CLI_BASE_URL");
  const own = credential?.baseUrl;
  if (option !== undefined) return { value: serviceAddress(option), source: "option" };
  if (variable !== undefined) return { value: serviceAddress(variable), source: "environment" };
  if (own !== undefined) return { value: serviceAddress(own), source: "credential" };
  return { value: DEFAULT_BASE_URL, source: "default" };
}

/** The credential of nobody: it says what is missing as soon as a request needs it. */
function absentCredential(around: Surroundings): Credential {
  return async () => {
    throw await missingCredential(around);
  };
}

/** Who hears of each try: the caller's listener, and the log where `CLI_DEBUG=http` asks for it. */
async function exchangeListener(
  around: Surroundings,
  own: ((exchange: Exchange) => void) | undefined,
): Promise<((exchange: Exchange) => void) | undefined> {
  const parts = setting(around, "CLI_DEBUG")?.split(",").map((part) => part.trim()) ?? [];
  warnOfUnknown(around, parts.filter((part) => part !== "http"));
  if (!parts.includes("http")) return own;
  const { formatExchange } = await import("./debug.ts");
  return (exchange) => {
    (around.log ?? around.warn)(formatExchange(exchange));
    own?.(exchange);
  };
}

/** What a client says of a project that the script may not look for. */
function hiddenProject(): { projectHint?: string } {
  if (platform.mayReadVariable("CLI_PROJECT_ID")) return {};
  return {
    projectHint: "Give projectId, or let this program read CLI_PROJECT_ID: --allow-env=CLI_*",
  };
}

const warned = new WeakSet<Surroundings>();

/** Says once that `CLI_DEBUG` asks for what there is not. */
function warnOfUnknown(around: Surroundings, [unknown]: readonly string[]): void {
  if (unknown === undefined || warned.has(around)) return;
  warned.add(around);
  around.warn(`CLI_DEBUG cannot be ${JSON.stringify(unknown)}; it takes http`);
}

/** A variable, or undefined when it is unset or may not be read. */
function readVariable(name: string): string | undefined {
  return platform.mayReadVariable(name) ? platform.variable(name) : undefined;
}

/** The working folder, or undefined when it is gone or may not be known. */
function workingFolder(): string | undefined {
  try {
    return platform.workingFolder();
  } catch {
    return undefined;
  }
}

/** Waits shorter than this are not worth a line, in milliseconds. */
const LONG_WAIT_MS = 2_000;

/** Says why nothing happens for a while. */
function announceWait(around: Surroundings, ms: number, status: number | undefined): void {
  if (ms < LONG_WAIT_MS) return;
  const why = status === 429
    ? "The service limits requests"
    : status === undefined
    ? "The service does not answer"
    : `The service answered with status ${status}`;
  const wording = (seconds: number) => `${why}; trying again in ${seconds} s`;
  if (around.announceWait) around.announceWait(wording);
  else around.warn(wording(Math.ceil(ms / 1000)));
}
