/**
 * Makes a ready client from settings: service, project and sign-in.
 *
 * @module
 */

import { DEFAULT_BASE_URL, serviceAddress } from "./address.ts";
import {
  type FoundCredential,
  resolveCredential,
  type ResolvedCredential,
} from "./auth/credential.ts";
import type { BrowserOptions } from "./auth/browser_sign_in.ts";
import type { TokenEndpoint } from "./auth/token.ts";
import {
  type Client,
  type ClientOptions,
  createClient,
  type Credential,
  type Exchange,
} from "./client.ts";
import { systemSurroundings } from "./config/machine.ts";
import { type ResolvedProject, resolveProject } from "./config/project.ts";
import type { StoredToken } from "./config/stored_token.ts";
import { setting, type Surroundings } from "./config/surroundings.ts";
import { platform } from "./platform/mod.ts";
import { VERSION } from "./version.ts";

export type { FoundCredential, ResolvedCredential } from "./auth/credential.ts";
export { systemSurroundings } from "./config/machine.ts";
export type { Origin } from "./config/origin.ts";
export type { FoundProject, ResolvedProject } from "./config/project.ts";
export type { Surroundings } from "./config/surroundings.ts";

/** The settings of {@linkcode connect}. Omitted settings come from the environment and files. */
export interface ConnectOptions extends
  Pick<
    ClientOptions,
    "signal" | "timeoutMs" | "retries" | "longestWaitMs" | "onExchange"
  > {
  /** The project, as in `--project-id`. */
  projectId?: string | undefined;
  /** The name of a stored sign-in, as in `--profile`. */
  profile?: string | undefined;
  /** The service's address. Default: `CLI_BASE_URL`, else the sign-in's own, else the local service. */
  baseUrl?: string | undefined;
  /** A refresh token to sign in with, as in `CLI_REFRESH_TOKEN`. */
  refreshToken?: string | undefined;
  /**
   * Whether tokens may go over plain HTTP to another machine. Default: whether
   * `CLI_ALLOW_INSECURE_HOST` is set.
   */
  allowInsecureHost?: boolean | undefined;
  /** The machine to read settings from. Default: the real one. */
  surroundings?: Surroundings | undefined;
}

/** The service's address and its source. */
export interface ResolvedBaseUrl {
  /** The address, without a slash at the end. */
  value: string;
  /** The kind of source: an option, `CLI_BASE_URL`, the sign-in, or none of them. */
  source: "option" | "environment" | "credential" | "default";
}

/** A client and the settings it was made from, for commands that show them. */
export interface Connection {
  /** The service's address. */
  baseUrl: ResolvedBaseUrl;
  /** The project. Undefined if none is set. */
  project: ResolvedProject | undefined;
  /** The current sign-in. Undefined if nobody is signed in. */
  credential: ResolvedCredential | undefined;
  /**
   * The client. Without a sign-in, or with one from another service, its requests fail with that
   * reason.
   */
  client: Client;
  /** The scopes of the sign-in, separated by spaces, if already known. */
  grantedScope(): Promise<string | undefined>;
  /**
   * Makes a separate sign-in with its own tokens for the same account, to store in another place.
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
   * Runs before the browser shows success, with the sign-in and a client that uses it. If it
   * throws, the sign-in fails and is revoked.
   */
  complete?: ((token: StoredToken, client: Client) => Promise<void>) | undefined;
}

/** The settings of {@linkcode signOut}. */
export interface SignOutOptions {
  /** Whether tokens may go over plain HTTP to another machine, as in {@linkcode ConnectOptions}. */
  allowInsecureHost?: boolean | undefined;
  /** Ends the wait between two attempts when it fires. */
  signal?: AbortSignal | undefined;
  /** The machine to sign out on. Default: the real one. */
  surroundings?: Surroundings | undefined;
}

/**
 * Makes a client like the command line does: service, project and sign-in come from the options, the
 * environment, the working folder and the home folder, in this order.
 *
 * It requests no permission: a variable or file that the script may not read counts as missing. A
 * script that sets `CLI_REFRESH_TOKEN` and `CLI_PROJECT_ID` needs only `--allow-net=HOST` and
 * `--allow-env=CLI_*`. Without a sign-in, the first request fails with `AuthError`.
 *
 * @example
 * ```ts ignore
 * const client = await connect({ projectId: "proj1ab2c3d4" });
 * for await (const offering of each(client, listOfferings(client))) console.log(offering.lookup_key);
 * ```
 *
 * @throws {AuthError} when the named profile does not exist.
 * @throws {ConfigError} when a settings file is malformed or readable by others.
 * @throws {UsageError} when the address is not an `http` or `https` URL, or holds a password.
 */
export async function connect(options: ConnectOptions = {}): Promise<Client> {
  const around = options.surroundings ?? systemSurroundings();
  return (await openConnection(around, options, false)).client;
}

/**
 * Finds the settings that {@linkcode connect} would use, their sources, and the settings they
 * override. It sends nothing. Throws like {@linkcode connect}.
 */
export async function resolveConnection(
  surroundings: Surroundings,
  options: Omit<ConnectOptions, "surroundings"> = {},
): Promise<Connection> {
  return await openConnection(surroundings, options, true);
}

/**
 * Signs in with the person's browser and returns the input of {@linkcode saveProfile}. It stores
 * nothing. The script needs `--allow-net` for the service and for 127.0.0.1, where it listens for
 * the browser's answer, and `--allow-run=open,xdg-open,rundll32` to start the browser.
 *
 * @example
 * ```ts ignore
 * const token = await signIn({ onUrl: (url) => console.log(`Open ${url}`) });
 * await saveProfile(systemSurroundings(), { name: "default", ...token });
 * ```
 *
 * @throws {AuthError} when the person or the service refuses, or nobody answers within 5 minutes.
 * @throws {ConfigError} when the address is not the service's, or the script may not listen.
 * @throws {UsageError} when the address is malformed, or needs HTTPS.
 * @throws {NetworkError} when the service does not answer.
 * @throws {Cancelled} when the signal fires.
 */
export async function signIn(options: SignInOptions): Promise<StoredToken> {
  const { signInWithBrowser } = await import("./auth/browser_sign_in.ts");
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
 * Ends a sign-in at the service that issued it: none of its tokens works any more. A stored copy
 * stays; {@linkcode removeProfile} removes a profile.
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

/** Combines the parts. */
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
      const { exchangeToken } = await import("./auth/second_sign_in.ts");
      const accessToken = typeof opened === "string" ? opened : await opened(undefined);
      return await exchangeToken(endpoint, { accessToken, clientId: credential?.clientId });
    },
  };
}

/** The settings of a connection to the OAuth addresses. */
type EndpointOptions = Partial<
  Pick<TokenEndpoint, "signal" | "onExchange" | "allowInsecureHost">
>;

/** Connects to the OAuth addresses of a service. */
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

/** The settings that a client shares with the connection to the OAuth addresses. */
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

/** The credential when nobody is signed in: it throws an error as soon as a request needs it. */
function absentCredential(around: Surroundings): Credential {
  return async () => {
    const { missingCredential } = await import("./auth/stored.ts");
    throw await missingCredential(around);
  };
}

/** The listeners for each attempt: the caller's, and the log if `CLI_DEBUG=http` is set. */
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

/** The error of a client if the script may not look for a project. */
function hiddenProject(): { projectHint?: string } {
  if (platform.mayReadVariable("CLI_PROJECT_ID")) return {};
  return {
    projectHint: "Pass projectId, or let this program read CLI_PROJECT_ID: --allow-env=CLI_*",
  };
}

const warned = new WeakSet<Surroundings>();

/** Warns once about an unknown value of `CLI_DEBUG`. */
function warnOfUnknown(around: Surroundings, [unknown]: readonly string[]): void {
  if (unknown === undefined || warned.has(around)) return;
  warned.add(around);
  around.warn(`CLI_DEBUG cannot be ${JSON.stringify(unknown)}; it takes http`);
}

/** Shorter waits are not announced, in milliseconds. */
const LONG_WAIT_MS = 2_000;

/** Announces a wait and its reason. */
function announceWait(around: Surroundings, ms: number, status: number | undefined): void {
  if (ms < LONG_WAIT_MS) return;
  const why = status === 429
    ? "The rate limit of the service is reached"
    : status === undefined
    ? "The service does not answer"
    : `The service answered with status ${status}`;
  const wording = (seconds: number) => `${why}; retrying in ${seconds} s`;
  if (around.announceWait) around.announceWait(wording);
  else around.warn(wording(Math.ceil(ms / 1000)));
}
