/**
 * The errors of the routes for apps, in the form of version 1.
 *
 * @module
 */

/** The error codes of version 1 in use here. */
export const SDK_CODE = {
  invalid_platform: 7000,
  not_transferred: 7102,
  invalid_receipt: 7103,
  internal_error: 7110,
  empty_user: 7220,
  invalid_key: 7225,
  bad_request: 7226,
  secret_key: 7243,
  no_alias: 7255,
  invalid_user: 7256,
  not_found: 7259,
  invalid_attributes: 7263,
  invalid_attributes_body: 7264,
  already_subscribed: 7772,
} as const;

/** The name of a code of version 1. */
export type SdkCode = keyof typeof SDK_CODE;

/** A request of an SDK that is answered with an error. */
export class SdkRefusal extends Error {
  /** HTTP status. */
  readonly status: number;
  /** The error code for SDKs. */
  readonly code: number;
  /** Headers of the answer. */
  readonly headers: Record<string, string>;

  /** Builds a refusal of a status and code, with one sentence for people. */
  constructor(
    status: number,
    code: SdkCode,
    message: string,
    headers: Record<string, string> = {},
  ) {
    super(message);
    this.name = "SdkRefusal";
    this.status = status;
    this.code = SDK_CODE[code];
    this.headers = headers;
  }
}
