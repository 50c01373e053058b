/**
 * The webhook handler under test: delivering to it as the service does, and asking for its state.
 *
 * @module
 */

import { NetworkError, UsageError } from "../../errors.ts";
import type { Json } from "../../scenario/values/tree.ts";
import type { Handler } from "../../scenario/verify/deliver.ts";
import type { Context } from "../context.ts";
import { postSigned } from "./deliver.ts";
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

/** The keys of a path such as `.user.pro`. */
export function keysOf(path: string): string[] {
  const keys = path.replace(/^\./, "").split(".");
  if (/^\.?[^.\s]+(\.[^.\s]+)*$/.test(path)) return keys;
  throw new UsageError(
    `Cannot use ${JSON.stringify(path)} for --path: it is not a path such as .pro`,
    {
      hint: "Name the field that says whether the customer has access: --path .user.pro",
    },
  );
}

/** Opens the way to a handler. */
export function openHandler(context: Context, place: HandlerPlace): Handler {
  const { around, signal } = context;
  const keys = keysOf(place.path);
  return {
    async deliver({ id, body }, signed) {
      const { url, secret } = place;
      const posted = await postSigned(context, { url, id, body, secret, signed });
      if (posted.unreached === undefined) return posted;
      // Without a handler, every history would fail, and all for the same reason.
      throw new NetworkError(`Cannot verify the handler: ${posted.unreached}`, {
        hint: "Start the handler. If it crashed, read its log.",
      });
    },
    async state(customer) {
      const url = place.state.replaceAll("{customer}", encodeURIComponent(customer));
      const request = { method: "GET", url, headers: {} };
      const { status, body, unreached } = await askHandler(request, context, place.allowHost);
      if (unreached !== undefined) {
        throw new NetworkError(`Cannot read the state of a customer: ${unreached}`, {
          hint: "Start the program at the address of --state, or correct the address.",
        });
      }
      return status === 200 ? stateIn(body, keys) : undefined;
    },
    async pause(ms) {
      const { pause } = await import("../../retry.ts");
      await (around.pause ?? pause)(ms, signal);
    },
  };
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
