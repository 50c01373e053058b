/**
 * A few sales that charts can be asked about, and what a chart comes to.
 *
 * @module
 */

import type { Chart } from "../../lib/resources/charts.ts";
import type { Desk } from "./harness.ts";
import { productNamed, simulate } from "./simulation.ts";

/** One purchase for each of three stores, and one of play money. */
export async function buySome(desk: Desk): Promise<void> {
  const sim = simulate(desk);
  const buy = async (name: string, price: number, more: Record<string, unknown>) => {
    const { id } = await productNamed(desk, name);
    await sim.subscribe({ customer_id: name, product_id: id, price, currency: "USD", ...more });
  };
  await buy("notes.pro.monthly", 10, { country: "US" });
  await buy("notes_pro:annual", 20, { country: "DE", offering_id: "winter_sale" });
  await buy("notes_web_monthly", 30, {});
  await buy("notes_web_annual", 5, { environment: "sandbox" });
}

/** What the first measure of a chart comes to. */
export function total({ values }: Chart, segment?: number): number {
  return values.filter((value) => value.measure === 0 && value.segment === segment)
    .reduce((sum, { value }) => sum + value, 0);
}
