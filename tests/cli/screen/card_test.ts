import { deepEqual } from "node:assert/strict";
import { cardFields } from "../../../lib/cli/screen/card.ts";

/** The fields of an answer's card, by label. */
function shown(answer: object): Record<string, unknown> {
  return Object.fromEntries(cardFields(answer).map(({ label, value }) => [label, value(answer)]));
}

Deno.test("a card shows the fields of a nested object, and only the name of a deeper one", () => {
  const app = { object: "app", id: "app1", name: "Notes", app_store: { bundle_id: "a.b" } };
  deepEqual(
    shown({
      object: "product",
      display_name: "Pro",
      id: "prod1",
      app,
      price: { amount: 5, tax: { rate: 0.2, place: { object: "place", city: "Bonn" } } },
      holder: { since: 1, app },
    }),
    {
      id: "prod1",
      display_name: "Pro",
      "app.object": "app",
      "app.id": "app1",
      "app.name": "Notes",
      "app.app_store.bundle_id": "a.b",
      "price.amount": 5,
      "price.tax.rate": 0.2,
      "price.tax.place.object": "place",
      "price.tax.place.city": "Bonn",
      "holder.since": 1,
      "holder.app": "Notes",
    },
  );
});

Deno.test("a card shows a list on one line, each item by its most specific field", () => {
  const list = (...items: unknown[]) => ({ object: "list", items });
  deepEqual(
    shown({
      keys: ["a", "b"],
      counts: [1, 2],
      offerings: list({ id: "ofrng1", lookup_key: "sale", name: "Sale" }),
      products: list(
        { id: "prod1", store_identifier: "pro.monthly", name: "Pro" },
        { eligibility: "all", product: { id: "prod2", store_identifier: "pro.annual" } },
        { id: "prod3" },
      ),
      money: [{ amount: 1 }],
      none: [],
      empty: {},
      nothing: null,
      // A list that has no items is an object like any other.
      odd: { object: "list", count: 1 },
      wrong: { object: "list", items: 1 },
    }),
    {
      keys: "a, b",
      counts: "1, 2",
      offerings: "sale",
      products: "pro.monthly, pro.annual, prod3",
      money: '{"amount":1}',
      none: "",
      empty: null,
      nothing: undefined,
      "odd.object": "list",
      "odd.count": 1,
      "wrong.object": "list",
      "wrong.items": 1,
    },
  );
});

Deno.test("a card shows times as times, and the meaning of null", () => {
  const answer = {
    object: "webhook_integration",
    created_at: 0,
    start_date: "2026-01-31",
    format: "x",
    event_types: null,
    environment: null,
    app_id: null,
    name: null,
  };
  deepEqual(cardFields(answer).map(({ label, kind }) => [label, kind]), [
    ["created_at", "time"],
    ["start_date", "time"],
    ["format", "text"],
    ["event_types", "text"],
    ["environment", "text"],
    ["app_id", "text"],
    ["name", "text"],
  ]);
  const { event_types, environment, app_id, name } = shown(answer);
  deepEqual([event_types, environment, app_id, name], ["all", "all", "all", undefined]);
  deepEqual(shown({ ...answer, object: "app" })["app_id"], undefined);
});
