/**
 * The settings of a client, which the transport and its retries share.
 *
 * @module
 */

/** What `Client.with()` can change. */
export interface ClientChanges {
  /** The project that project paths belong to. */
  projectId?: string;
  /** Ends the requests, and any wait between tries, when it fires. */
  signal?: AbortSignal;
  /** The credential to send instead of the client's own. */
  credential?: Credential;
}

/**
 * A token, or a function that gives one. It is called before each request; when the service has
 * refused a token, that token comes with the call, so that a fresh one can be fetched.
 */
export type Credential = string | ((refused: string | undefined) => Promise<string>);

/** The settings of a client. */
export interface ClientOptions extends ClientChanges {
  /** The service's address, such as `http://127.0.0.1:4010`. */
  baseUrl: string;
  /** The token to send, or a function that gives it. Without it no `Authorization` is sent. */
  credential?: Credential;
  /** Milliseconds that one request may take, its answer included. Default 30,000. */
  timeoutMs?: number;
  /** The longest time between two parts of an answer, in milliseconds. Default 15,000. */
  silenceMs?: number;
  /** Whether the credential may go over plain HTTP to another machine. Default: false. */
  allowInsecureHost?: boolean;
  /** How often a request is tried again. Default 4. */
  retries?: number;
  /** Milliseconds that the client waits for the service at most, between two tries. Default 65,000. */
  longestWaitMs?: number;
  /** What to do where a request needs a project and none is known. Default: how to set one. */
  projectHint?: string;
  /** Sent as `User-Agent`. */
  userAgent?: string;
  /** Called after each try, with what was sent and what came back. */
  onExchange?: (exchange: Exchange) => void;
  /** Called before a wait between two tries, with its milliseconds and the status that caused it. */
  onWait?: (ms: number, status: number | undefined) => void;
  /** Sends a request. Default: the global `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
  /** Waits. Default: a timer. It rejects when the signal fires. */
  pause?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** One try of a request, for logs. It holds credentials: hide them before showing it. */
export interface Exchange {
  /** The try's number, from 1. */
  attempt: number;
  /** The request, with its headers. */
  request: Request;
  /** The request's body, where it has one. */
  requestBody: string | undefined;
  /** The answer, unless there was none. Its body is read already. */
  response: Response | undefined;
  /** The answer's body. */
  responseBody: string | undefined;
  /** Why there was no answer. */
  error: unknown;
  /** How long it took, in milliseconds. */
  durationMs: number;
}
