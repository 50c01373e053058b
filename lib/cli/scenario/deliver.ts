/**
 * Making a delivery as the service does, with a signature that is right, wrong or old.
 *
 * @module
 */

import { Cancelled } from "../../errors.ts";
import type { Signed } from "../../scenario/deeds/made_up.ts";
import type { Post, Posted } from "../../scenario/run/stage.ts";
import type { Context } from "../context.ts";
import { whyUnreached } from "./unreached.ts";

/** How long a handler may take for one delivery, in milliseconds. */
const TIMEOUT_MS = 15_000;

/** How old the signature of an old delivery is, in milliseconds. */
const OLD_MS = 3_600_000;

/** A secret that no handler knows. */
const OTHER_SECRET = `whsec_${"AAAA".repeat(8)}`;

/** Makes a delivery. The status is 0 when there is no answer. */
export async function postSigned(
  { around, signal }: Context,
  { url, id, body, secret, signed, authorization_header }: Post,
): Promise<Posted> {
  const { signatureHeaders } = await import("../../service/events/signatures.ts");
  const started = around.now();
  const now = started - ageOf(signed);
  const headers = signatureHeaders([signed === "wrong" ? OTHER_SECRET : secret], { id, body, now });
  try {
    const request = new Request(url, {
      method: "POST",
      body,
      headers: [
        ...headers,
        ["Content-Type", "application/json"],
        ...authorization_header === undefined
          ? []
          : [["Authorization", authorization_header] satisfies [string, string]],
      ],
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const response = await (around.fetch ?? fetch)(request);
    await response.body?.cancel();
    return { status: response.status, ms: around.now() - started };
  } catch (error) {
    if (signal.aborted) throw new Cancelled("Stopped", { cause: signal.reason });
    return { status: 0, ms: around.now() - started, unreached: whyUnreached(error, url) };
  }
}

function ageOf(signed: Signed): number {
  return signed === "old" ? OLD_MS : 0;
}
