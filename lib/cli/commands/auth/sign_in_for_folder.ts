/**
 * A sign-in for one folder, made from the current one.
 *
 * @module
 */

import { ExchangeUnsupported } from "../../../auth/second_sign_in.ts";
import type { StoredToken } from "../../../config/stored_token.ts";
import type { Connection } from "../../../connect.ts";
import { AuthError } from "../../../errors.ts";
import type { Context } from "../../context.ts";
import { signInHere } from "./sign_in_here.ts";

const WITHOUT = "Bind the folder without a sign-in of its own: cli init --no-local-creds";

/**
 * Makes a separate sign-in for the current account. If the service cannot do that, the person signs
 * in again with the browser.
 *
 * @throws {AuthError} when that is impossible. It names the alternative.
 */
export async function ownSignIn(context: Context, connection: Connection): Promise<StoredToken> {
  try {
    return await connection.secondSignIn();
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    if (!(error instanceof ExchangeUnsupported && context.interactive)) {
      throw new AuthError(error.message, { hint: WITHOUT, cause: error });
    }
    context.out.note(`${error.message}. Sign in again for this folder.`);
    const { credential, baseUrl } = connection;
    const scopes = credential?.scope?.split(" ");
    const clientId = credential?.clientId;
    return await signInHere(context, { baseUrl: baseUrl.value, clientId, scopes });
  }
}
