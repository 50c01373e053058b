/**
 * Refusals: the errors that handlers throw to answer with an error body. One place turns them into
 * a response, so they look the same in every route.
 *
 * @module
 */

/** The error types of the API. */
export type ErrorType =
  | "parameter_error"
  | "invalid_request"
  | "authentication_error"
  | "authorization_error"
  | "resource_missing"
  | "resource_already_exists"
  | "idempotency_error"
  | "unprocessable_entity_error"
  | "store_error"
  | "entity_references_archived_entities"
  | "resource_locked_error"
  | "rate_limit_error"
  | "server_error";

/** The optional fields of an error body. */
interface RefusalDetails {
  /** The offending parameter or body field, dotted where nested. */
  param?: string;
  /** Milliseconds to wait before another try. */
  backoff_ms?: number;
  /** Ids of the objects that prevent the change. */
  referenced_object_ids?: string[];
  /** The permissions that the credential lacks. */
  missing_scopes?: string[];
  /** Headers of the answer. */
  headers?: Record<string, string>;
}

/** A request that is answered with an error. */
export class Refusal extends Error {
  /** HTTP status, 400 to 599. */
  readonly status: number;
  /** The error type. */
  readonly type: ErrorType;
  /** The rest of the error body, and headers. */
  readonly details: RefusalDetails;

  /** Builds a refusal of a status and type, with one sentence for people. */
  constructor(status: number, type: ErrorType, message: string, details: RefusalDetails = {}) {
    super(message);
    this.name = "Refusal";
    this.status = status;
    this.type = type;
    this.details = details;
  }

  /**
   * The error body.
   *
   * Gap: the public service adds `doc_url`. It is left out, since there are no such pages.
   */
  get body(): Record<string, unknown> {
    const { param, backoff_ms, referenced_object_ids, missing_scopes } = this.details;
    return {
      object: "error",
      type: this.type,
      message: this.message,
      retryable: this.status === 423 || this.status === 429 || this.status >= 500 ||
        this.type === "store_error",
      ...param === undefined ? {} : { param },
      ...backoff_ms === undefined ? {} : { backoff_ms },
      ...referenced_object_ids === undefined ? {} : { referenced_object_ids },
      ...missing_scopes === undefined ? {} : { missing_scopes },
    };
  }
}

/** 404 for administrators: a project does not exist. */
export function noProject(id: string): Refusal {
  return new Refusal(404, "resource_missing", `There is no project ${JSON.stringify(id)}`, {
    param: "project_id",
  });
}

/** 400: one parameter or body field is invalid. */
export function invalid(param: string, message: string): Refusal {
  return new Refusal(400, "parameter_error", message, { param });
}

/** 400: the request as a whole cannot be read. */
export function malformed(message: string, status = 400): Refusal {
  return new Refusal(status, "invalid_request", message);
}

/** 404: the object does not exist, or the caller cannot see it. */
export function missing(what: string, id: string, param?: string): Refusal {
  const message = `There is no ${what} ${JSON.stringify(id)} in this project`;
  return new Refusal(404, "resource_missing", message, param === undefined ? {} : { param });
}

/** 409: a name is in use. */
export function taken(what: string, param: string, value: string): Refusal {
  const message = `There already is ${what} with the ${param} ${JSON.stringify(value)}`;
  return new Refusal(409, "resource_already_exists", message, { param });
}

/** 422: the request is valid, but a rule forbids it now. */
export function unprocessable(message: string, details: RefusalDetails = {}): Refusal {
  return new Refusal(422, "unprocessable_entity_error", message, details);
}
