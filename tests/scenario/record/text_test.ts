import { deepEqual, equal } from "node:assert/strict";
import type { RecordedStep, Reel } from "../../../lib/scenario/record/reel.ts";
import { textOf } from "../../../lib/scenario/record/text.ts";

/** A step that lets time pass until a renewal on the first of a month. */
function renewal(month: number, notes: string[]): RecordedStep {
  const at = Date.UTC(2026, month, 1);
  const fields = { type: "RENEWAL" };
  const played = { id: "", type: "RENEWAL", at, step: 1, customer: "ada", fields };
  const events = [{ played, recorded: undefined }] as unknown as RecordedStep["events"];
  return { action: { to: at }, events, access: { ada: ["pro"] }, notes };
}

Deno.test("a note stays in the file when one move of the clock stands for several", () => {
  const reel = {
    history: { customers: [{ id: "ada" }] },
    sold: { value: { products: {} } },
    bench: { scenario: { start: { at: 0 } } },
    steps: [renewal(1, ["Not recorded: a"]), renewal(2, []), renewal(3, ["b"]), renewal(4, [])],
  } as unknown as Reel;
  const lines = textOf(reel, []).split("\n");
  deepEqual(lines.filter((line) => /^ {2}(#|- to)/.test(line)), [
    "  # Not recorded: a",
    "  - to: 2026-03-01T00:00:00Z",
    "  # b",
    "  - to: 2026-05-01T00:00:00Z",
  ]);
  equal(lines.filter((line) => line.includes("[RENEWAL, RENEWAL]")).length, 2);
});

Deno.test("an expected event shows what was recorded and is unusual, and its store if it is promotional", () => {
  const shown = (fields: object, recorded: object = fields) => {
    const step = renewal(1, []);
    const played = { id: "", type: "RENEWAL", at: 0, step: 1, customer: "ada", fields };
    const events = [{ played, recorded: { ...played, fields: recorded } }];
    const reel = {
      history: { customers: [{ id: "ada" }] },
      sold: { value: { products: {} } },
      bench: { scenario: { start: { at: 0 } } },
      steps: [{ ...step, events }],
    } as unknown as Reel;
    return /events?: *([^]*?)\n {6}\w/.exec(textOf(reel, []))?.[1];
  };
  const usual = { store: "APP_STORE", price: 0, period_type: "NORMAL", product_id: null };
  equal(shown(usual), "[RENEWAL]");
  equal(
    shown({ store: "PROMOTIONAL", price: 2, note: 1 }),
    "[{ type: RENEWAL, store: PROMOTIONAL, price: 2 }]",
  );
  equal(
    shown({ price: 2, period_type: "TRIAL" }, { price: 3, period_type: "TRIAL" }),
    "[{ type: RENEWAL, period_type: TRIAL }]",
  );
});
