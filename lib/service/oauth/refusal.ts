/**
 * How an OAuth endpoint says no.
 *
 * @module
 */

/** The error codes of RFC 6749, RFC 8693 and RFC 9101 that this service uses. */
type OAuthErrorCode =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "unsupported_grant_type"
  | "unsupported_response_type"
  | "invalid_scope"
  | "invalid_target"
  | "access_denied"
  | "request_not_supported"
  | "request_uri_not_supported"
  | "server_error";

/** A request to an OAuth endpoint that is answered with an error. */
export class OAuthRefusal extends Error {
  /** The error code. */
  readonly code: OAuthErrorCode;
  /** HTTP status, where the error is not told by a redirect. */
  readonly status: number;
  /** Headers of the answer. */
  readonly headers: Readonly<Record<string, string>>;

  /** Builds a refusal. The message must do without quotation marks and backslashes: RFC 6749. */
  constructor(
    code: OAuthErrorCode,
    message: string,
    options: { status?: number; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.name = "OAuthRefusal";
    this.code = code;
    this.status = options.status ?? (code === "invalid_client" ? 401 : 400);
    this.headers = options.headers ?? {};
  }
}

/** 400 `invalid_grant`: the code or token is not good, or no longer. */
export function invalidGrant(message: string): OAuthRefusal {
  return new OAuthRefusal("invalid_grant", message);
}

/** 400 `invalid_request`: something is missing, twice there or malformed. */
export function invalidRequest(message: string): OAuthRefusal {
  return new OAuthRefusal("invalid_request", message);
}

/** What a page says that refuses. */
interface PageRefusalView {
  /** What is wrong, in a few words. */
  title: string;
  /** Why, in a sentence. */
  message: string;
  /** The value that is to blame, as it was sent. */
  value?: string | undefined;
  /** What to do next. Default: to start again. */
  next?: string | undefined;
}

/** A request that is answered with a page: nobody can be trusted with a redirect. */
export class PageRefusal extends Error {
  /** What the page says. */
  readonly view: PageRefusalView;
  /** HTTP status. */
  readonly status: number;
  /** Headers of the answer. */
  readonly headers: Readonly<Record<string, string>>;

  /** Builds a refusal from what its page says. */
  constructor(
    view: PageRefusalView,
    options: { status?: number; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(view.message);
    this.name = "PageRefusal";
    this.view = view;
    this.status = options.status ?? 400;
    this.headers = options.headers ?? {};
  }
}

/** A page for an answer to a form that cannot be taken. */
export function unusableForm(
  message: string,
  options: { status?: number; headers?: Readonly<Record<string, string>> } = {},
): PageRefusal {
  return new PageRefusal({ title: "This page cannot be used", message }, options);
}

/**
 * How a unit of work ended. A refusal is a value here: what the work did besides, such as revoking a
 * grant whose token was stolen, must be kept, and a thrown error would undo it.
 */
export interface Outcome<T> {
  /** The answer, or the refusal. */
  value: T | OAuthRefusal;
  /** The grant whose access tokens must be forgotten. */
  stale?: string | undefined;
}
