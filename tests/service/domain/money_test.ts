import { equal, ok } from "node:assert/strict";
import { convert, taxRate } from "../../../lib/service/domain/money.ts";

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

Deno.test("tax is the part of a price that each country's rate adds to it", () => {
  const percents = {
    ...{ AU: 10, BR: 17, CH: 8.1, DE: 19, DK: 25, ES: 21, FR: 20, GB: 20, IN: 18, IT: 22, JP: 10 },
    ...{ KR: 10, MX: 16, NL: 21, NO: 25, NZ: 15, PL: 23, SE: 25 },
  };
  for (const [country, percent] of Object.entries(percents)) {
    const part = percent / (100 + percent);
    ok(Math.abs(taxRate(country) - part) < 0.0002, `${country}: ${taxRate(country)}, ${part}`);
  }
  equal(taxRate("US"), 0);
  equal(taxRate(null), 0);
});
