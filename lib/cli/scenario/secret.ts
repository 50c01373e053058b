/**
 * The secret that deliveries to a handler under test are signed with.
 *
 * @module
 */

import { UsageError } from "../../errors.ts";
import { SECRET_FORM } from "../../scenario/file/kinds.ts";

/** A secret that signs deliveries. */
export function checkedSecret(secret: string | undefined): string | undefined {
  if (secret === undefined || SECRET_FORM.test(secret)) return secret;
  throw new UsageError(
    "Cannot use the signing secret: it is not whsec_ and 24 to 64 bytes in base64",
    { hint: "Pass --secret, or set CLI_WEBHOOK_SECRET." },
  );
}
