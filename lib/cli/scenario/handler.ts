/**
 * The webhook handler under test: delivering to it as the service does, and asking for its state.
 *
 * @module
 */

import { UsageError } from "../../errors.ts";
import type { Json } from "../../scenario/file/tree.ts";
import type { Handler, Parcel, Taken } from "../../scenario/verify/deliver.ts";
import type { Context } from "../context.ts";
import { askHandler } from "./stage.ts";

/** How to reach a handler. */
interface HandlerPlace {
  /** Where events go. */
  readonly url: string;
  /** The address of a customer's state, with `{customer}` in it. */
  readonly state: string;
  /** Where in the answer it says whether the customer has access: `.pro`, `.user.pro`. */
  readonly path: string;
  /** What deliveries are signed with. */
  readonly secret: string;
  /** Whether it may be on another machine. */
  readonly allowHost: boolean;
}

/** How long a handler may take for one delivery, in milliseconds. */
const TIMEOUT_MS = 15_000;

/** How old the signature of an old delivery is, in milliseconds. */
const OLD_MS = 3_600_000;

/** A secret that no handler knows. */
const OTHER_SECRET = `whsec_${"AAAA".repeat(8)}`;

/** The keys of a path such as `.user.pro`. */
export function keysOf(path: string): string[] {
  const keys = path.replace(/^\./, "").split(".");
  if (/^\.?[^.\s]+(\.[^.\s]+)*$/.test(path)) return keys;
  throw new UsageError(
    `Cannot use ${JSON.stringify(path)} for --path: it is no path such as .pro`,
    {
      hint: "Name the field that says whether the customer has access: --path .user.pro",
    },
  );
}

/** Opens the way to a handler. */
export async function openHandler(context: Context, place: HandlerPlace): Promise<Handler> {
  const { signatureHeaders } = await import("../../service/events/signatures.ts");
  const { around, signal } = context;
  const keys = keysOf(place.path);
  return {
    async deliver(parcel, signed) {
      const now = around.now() - (signed === "old" ? OLD_MS : 0);
      const secret = signed === "wrong" ? OTHER_SECRET : place.secret;
      const headers = signatureHeaders([secret], { id: parcel.id, body: parcel.body, now });
      return await post(context, place.url, parcel, headers);
    },
    async state(customer) {
      const url = place.state.replaceAll("{customer}", encodeURIComponent(customer));
      const request = { method: "GET", url, headers: {} };
      const { status, body } = await askHandler(request, context, place.allowHost);
      return status === 200 ? stateIn(body, keys) : undefined;
    },
    async pause(ms) {
      const { pause } = await import("../../retry.ts");
      await (around.pause ?? pause)(ms, signal);
    },
  };
}

async function post(
  { around, signal }: Context,
  url: string,
  { body }: Parcel,
  headers: [name: string, value: string][],
): Promise<Taken> {
  const started = around.now();
  try {
    const request = new Request(url, {
      method: "POST",
      body,
      headers: [...headers, ["Content-Type", "application/json"]],
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const response = await (around.fetch ?? fetch)(request);
    await response.body?.cancel();
    return { status: response.status, ms: around.now() - started };
  } catch {
    signal.throwIfAborted();
    return { status: 0, ms: around.now() - started };
  }
}

/** Whether an answer says that a customer has access. */
function stateIn(body: Json, keys: readonly string[]): boolean | undefined {
  let value: Json | undefined = body;
  for (const key of keys) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    value = Object.hasOwn(value, key)
      ? (value as { readonly [key: string]: Json })[key]
      : undefined;
  }
  return typeof value === "boolean" ? value : undefined;
}
