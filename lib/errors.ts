/**
 * Every error the library throws. Each has a message of the form "Cannot do this: because of that"
 * and, if there is one, a `hint` with the next command.
 *
 * @module
 */

/** The base of all errors of this library: test with `instanceof ToolkitError`. */
export class ToolkitError extends Error {
  /** The remedy, as a sentence or a command. */
  readonly hint: string | undefined;

  /** Builds an error from one sentence, an optional hint and an optional cause. */
  constructor(message: string, options: { hint?: string | undefined; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.hint = options.hint;
  }
}

/** The caller passed an invalid value: a bad flag, id, address, file or date. */
export class UsageError extends ToolkitError {}

/** A setting or a settings file is missing, malformed or not writable. */
export class ConfigError extends ToolkitError {}

/** There is no credential, or the service refused to refresh it. */
export class AuthError extends ToolkitError {}

/** The service did not answer: refused, unreachable, disconnected or timed out. */
export class NetworkError extends ToolkitError {}

/** The caller's `AbortSignal` fired, or a person pressed Ctrl-C. */
export class Cancelled extends ToolkitError {}

/** The error body of the service, as far as it could be read. */
export interface ApiErrorDetails {
  /** HTTP status, 400 to 599. */
  status: number;
  /** The service's error type, such as `resource_missing`. */
  type: string;
  /** Whether the same request may succeed later, according to the service. */
  retryable: boolean;
  /** The invalid parameter or body field, if the service named one. */
  param: string | undefined;
  /** Milliseconds to wait before a retry, if the service named a time. */
  retryAfterMs: number | undefined;
  /** The service's id of the request, for support. */
  requestId: string | undefined;
  /** Ids of the objects that prevent the request, if the service named them. */
  referencedObjectIds: readonly string[];
  /** The missing permissions of the credential, if the service named them. */
  missingScopes?: readonly string[] | undefined;
  /** The method of the refused request. */
  method: string;
  /** The path of the refused request, without its query. */
  path: string;
  /** The remedy, if the caller knows one. */
  hint?: string | undefined;
}

/** The service answered with an error status. `message` is the service's sentence. */
export class ApiError extends ToolkitError {
  /** HTTP status, 400 to 599. */
  readonly status: number;
  /** The service's error type, such as `resource_missing`. */
  readonly type: string;
  /** Whether the same request may succeed later, according to the service. */
  readonly retryable: boolean;
  /** The invalid parameter or body field, if the service named one. */
  readonly param: string | undefined;
  /** Milliseconds to wait before a retry, if the service named a time. */
  readonly retryAfterMs: number | undefined;
  /** The service's id of the request, for support. */
  readonly requestId: string | undefined;
  /** Ids of the objects that prevent the request, if the service named them. */
  readonly referencedObjectIds: readonly string[];
  /** The missing permissions of the credential, if the service named them. */
  readonly missingScopes: readonly string[];
  /** The method of the refused request. */
  readonly method: string;
  /** The path of the refused request, without its query. */
  readonly path: string;

  /** Builds an error from the service's sentence and the rest of its error body. */
  constructor(message: string, details: ApiErrorDetails) {
    super(message, { hint: details.hint });
    this.status = details.status;
    this.type = details.type;
    this.retryable = details.retryable;
    this.param = details.param;
    this.retryAfterMs = details.retryAfterMs;
    this.requestId = details.requestId;
    this.referencedObjectIds = details.referencedObjectIds;
    this.missingScopes = details.missingScopes ?? [];
    this.method = details.method;
    this.path = details.path;
  }
}
