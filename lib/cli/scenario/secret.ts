/**
 * The secret that deliveries to a handler under test are signed with.
 *
 * @module
 */

import { UsageError } from "../../errors.ts";
import { SECRET_FORM } from "../../scenario/values/kinds.ts";
import type { Context } from "../context.ts";

/** The variable with the secret. */
const VARIABLE = "CLI_WEBHOOK_SECRET";

/**
 * The secret of `--secret`, or of the variable where something `delivers`.
 *
 * @throws {UsageError} when it has another form.
 */
export function findSecret(
  { around }: Context,
  flag: string | undefined,
  delivers: boolean,
): string | undefined {
  const secret = flag ?? (delivers ? around.env(VARIABLE) : undefined);
  if (secret === undefined || SECRET_FORM.test(secret)) return secret;
  const source = flag === undefined ? VARIABLE : "--secret";
  throw new UsageError(
    `Cannot use the value of ${source}: it is not whsec_ and 24 to 64 bytes in base64`,
    { hint: `Set ${VARIABLE} to the secret that the handler checks, or pass --secret.` },
  );
}
