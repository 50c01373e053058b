/**
 * The settings of a client, which the transport and its retries share.
 *
 * @module
 */

/** The settings that `Client.with()` can change. */
export interface ClientChanges {
  /** The project of project paths. */
  projectId?: string;
  /** Ends the requests, and any wait between attempts, when it fires. */
  signal?: AbortSignal;
  /** The credential to send instead of the client's own. */
  credential?: Credential;
}

/**
 * A token, or a function that returns one. It is called before each request. After the service
 * refused a token, the call passes that token so that the function can get a fresh one.
 */
export type Credential = string | ((refused: string | undefined) => Promise<string>);

/** The settings of a client. */
export interface ClientOptions extends ClientChanges {
  /** The service's address, such as `http://127.0.0.1:4010`. */
  baseUrl: string;
  /** The token to send, or a function that returns it. Without it no `Authorization` is sent. */
  credential?: Credential;
  /** The time limit of one request, including its answer, in milliseconds. Default 30,000. */
  timeoutMs?: number;
  /** The longest time between two parts of an answer, in milliseconds. Default 15,000. */
  silenceMs?: number;
  /** Whether the credential may go over plain HTTP to another machine. Default: false. */
  allowInsecureHost?: boolean;
  /** The number of retries of a request. Default 4. */
  retries?: number;
  /** The longest wait between two attempts, in milliseconds. Default 65,000. */
  longestWaitMs?: number;
  /**
   * Called when a request needs a project and none is known. Default: an error with instructions.
   */
  projectHint?: string;
  /** Sent as `User-Agent`. */
  userAgent?: string;
  /**
   * Called after each attempt, with the request and the response. An error that it throws is ignored:
   * the request has taken effect.
   */
  onExchange?: (exchange: Exchange) => void;
  /**
   * Called before a wait between two attempts, with its milliseconds and the status that caused it.
   */
  onWait?: (ms: number, status: number | undefined) => void;
  /**
   * Sends a request. Default: the global `fetch`. Its result is ignored after the time limit or an
   * abort, which it learns from the request's signal.
   */
  fetch?: (request: Request) => Promise<Response>;
  /** Waits. Default: a timer. It rejects when the signal fires. */
  pause?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** One attempt of a request, for logs. It contains credentials: hide them before showing it. */
export interface Exchange {
  /** The attempt's number, from 1. */
  attempt: number;
  /** The request, with its headers. */
  request: Request;
  /** The request's body, if it has one. */
  requestBody: string | undefined;
  /** The answer, if there was one. Its body has already been read. */
  response: Response | undefined;
  /** The answer's body. */
  responseBody: string | undefined;
  /** The reason for a missing answer. */
  error: unknown;
  /** The duration, in milliseconds. */
  durationMs: number;
}
