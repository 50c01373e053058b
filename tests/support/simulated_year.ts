/**
 * A year of the demonstration project in which everything happens that can happen.
 *
 * @module
 */

import { type Desk } from "./harness.ts";
import { productNamed, simulate } from "./simulation.ts";

const PRODUCTS = [
  "notes.pro.monthly",
  "notes.pro.annual",
  "notes_pro:monthly",
  "notes_pro:annual",
  "notes_web_monthly",
  "notes.pro.lifetime",
];

/** Actions with their bodies, besides changes of product. */
const ACTIONS: readonly (readonly [string, unknown?])[] = [
  ["cancel"],
  ["uncancel"],
  ["fail", { when: "now" }],
  ["fail", { when: "renewal", grace: "P3D" }],
  ["fail", { when: "now", grace: null }],
  ["recover"],
  ["pause", { for: "P1M" }],
  ["resume"],
  ["refund"],
  ["reverse_refund"],
  ["extend", { by: "P5D" }],
  ["expire"],
  ["renew"],
  ["raise_price"],
  ["agree_to_price"],
];

/** Plays the year, the same one each time. The clock stands still after it. */
export async function simulateYear(desk: Desk): Promise<void> {
  const sim = simulate(desk);
  const ids = await Promise.all(PRODUCTS.map(async (name) => (await productNamed(desk, name)).id));
  const pick = picker();
  await sim.post("/clock/freeze");
  const bought: string[] = [];
  const inYen = new Set<string | undefined>();
  for (let step = 0; step < 48; step++) {
    for (let n = 0; n < 2; n++) {
      const sale = {
        customer_id: `someone ${pick(30)}`,
        product_id: ids[pick(ids.length)],
        trial: pick(3) === 0,
        price: 4.99 + pick(40),
        currency: ["USD", "EUR", "JPY"][pick(3)],
        country: ["US", "DE", "GB"][pick(3)],
        environment: pick(6) === 0 ? "sandbox" : "production",
      };
      const isYen = sale.currency === "JPY";
      const response = await sim.send("POST", "/purchases", isYen ? whole(sale) : sale);
      const { id }: { id?: string } = await response.json();
      if (response.ok && id !== undefined) bought.push(id);
      if (isYen) inYen.add(id);
    }
    for (let n = 0; n < 5; n++) {
      const [action, body] = ACTIONS[pick(ACTIONS.length)] ?? ["cancel"];
      const id = bought[pick(bought.length)];
      const sent = action === "raise_price" ? { price: inYen.has(id) ? 20 : 19.99 } : body;
      await act(desk, `/subscriptions/${id}/${action}`, sent);
    }
    const terms = { product_id: ids[pick(ids.length)], price: 9.99 + pick(30) };
    const when = pick(2) === 0 ? "now" : "period_end";
    const changed = bought[pick(bought.length)];
    const change = { ...inYen.has(changed) ? whole(terms) : terms, when };
    await act(desk, `/subscriptions/${changed}/change_product`, change);
    if (step % 12 === 5) {
      await desk.send("DELETE", `/v2/projects/${desk.projectId}/customers/someone%20${pick(30)}`);
    }
    await sim.advance("P7DT5H");
  }
}

/** The same in whole units of money. */
function whole<T extends { price: number }>(terms: T): T {
  return { ...terms, price: Math.round(terms.price) };
}

/** Does something that may be refused. */
async function act(desk: Desk, path: string, body: unknown): Promise<void> {
  const response = await simulate(desk).send("POST", path, body ?? {});
  const text = await response.text();
  if (response.status >= 500) throw new Error(`${path}: ${text}`);
}

/** Picks whole numbers below a limit, in the same order each time. */
function picker(): (limit: number) => number {
  let seed = 7;
  return (limit) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor(seed / 2 ** 32 * limit);
  };
}
