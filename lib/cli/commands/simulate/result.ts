/**
 * The simulator's result in a sentence, and the next step.
 *
 * @module
 */

import type { Purchase } from "../../../resources/purchases.ts";
import type { Subscription } from "../../../resources/subscriptions.ts";
import type { Context } from "../../context.ts";
import { time } from "../../screen/display.ts";
import { showOne } from "../../words/plain.ts";
import { quoted } from "../../screen/command_lines.ts";
import { sameFlags } from "../../local/simulator.ts";

/**
 * Shows a purchase or subscription as the service returned it, then its state and the next step.
 * With `--output json` it shows only the object.
 */
export function showResult(
  context: Context,
  data: string | undefined,
  bought: Subscription | Purchase,
  what: string,
): void {
  showOne(context, bought);
  const { out } = context;
  if (out.format === "json") return;
  out.done(`${what}: ${bought.id} ${standing(bought)}`);
  const [why, command] = next(bought);
  // Only simulator commands take the data folder.
  const flags = sameFlags(context, command.startsWith("subscribers") ? undefined : data);
  out.note(`${why}: cli ${command}${flags}`);
}

/** The event at the end of a period, by the renewal's status. */
const ENDINGS: Readonly<Record<string, string>> = {
  will_renew: "renews at",
  will_not_renew: "ends at",
  will_change_product: "changes its product at",
  will_pause: "pauses at",
  requires_price_increase_consent: "ends, unless the customer accepts the price, at",
  has_already_renewed: "is paid until",
};

/** The state of a purchase, as the end of a sentence. */
function standing(bought: Subscription | Purchase): string {
  const name = bought.status.replaceAll("_", " ");
  if (bought.object === "purchase") return `is ${name}`;
  const { auto_renewal_status, gives_access } = bought;
  const end = endOf(bought);
  if (isOpen(bought) && end !== null) {
    return `is ${name} and ${ENDINGS[auto_renewal_status] ?? "continues until"} ${time(end)}`;
  }
  return `is ${name} and gives ${gives_access ? "access" : "no access"}`;
}

/** The next step: its purpose, and the command without its first word. */
function next(bought: Subscription | Purchase): [why: string, command: string] {
  const { id, status, customer_id, product_id } = bought;
  const customer = quoted(customer_id);
  const look = ["See what the customer has", `subscribers info ${customer}`] as const;
  if (bought.object === "purchase") return [...look];
  const end = endOf(bought);
  if (isOpen(bought) && end !== null) {
    return ["To get there", `clock advance --to ${iso(end)}`];
  }
  if (status === "paused") return ["End the pause", `simulate resume ${id}`];
  if (status === "in_grace_period" || status === "in_billing_retry") {
    // A cancelled subscription is not charged.
    if (bought.auto_renewal_status === "will_not_renew") {
      return ["Switch renewal on again", `simulate uncancel ${id}`];
    }
    return ["Make the charge succeed", `simulate recover ${id}`];
  }
  if (status === "incomplete") {
    return bought.pending_payment
      ? ["Find its invoice, then pay it", `subscribers invoices ${customer}`]
      : ["Start it", `clock advance --to ${iso(bought.starts_at)}`];
  }
  if (status === "expired" && product_id !== null) {
    return ["Buy it again", `simulate purchase ${customer} ${product_id}`];
  }
  return [...look];
}

/** Whether a period is running and has a known end. */
function isOpen({ status }: Subscription): boolean {
  return status === "active" || status === "trialing";
}

/** The end of the paid time, in milliseconds since 1970, or null. */
function endOf({ ends_at, current_period_ends_at }: Subscription): number | null {
  return ends_at ?? current_period_ends_at;
}

/** A time as `--to` accepts it. */
function iso(ms: number): string {
  return new Date(ms).toISOString().replace(".000Z", "Z");
}
