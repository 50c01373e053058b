import { equal } from "node:assert/strict";
import { convert } from "../../../lib/service/domain/money.ts";

Deno.test("an amount is converted by both rates and rounded to a micro", () => {
  equal(convert(10_000_000, "GBP", "USD"), 12_700_000);
  equal(convert(12_700_000, "USD", "GBP"), 10_000_000);
  equal(convert(10_000_000, "GBP", "EUR"), 11_759_259);
  equal(convert(7, "GBP", "GBP"), 7);
});

Deno.test("an unknown currency counts as US dollars", () => {
  equal(convert(5_000_000, "XXX", "USD"), 5_000_000);
  equal(convert(5_000_000, "USD", "XXX"), 5_000_000);
  equal(convert(12_700_000, "XXX", "GBP"), 10_000_000);
});
