import { deepEqual, equal, ok } from "node:assert/strict";
import {
  commissionRate,
  convert,
  negate,
  splitPayment,
  taxRate,
} from "../../../lib/service/domain/money.ts";

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

Deno.test("a payment is split by store and country, in its currency and in US dollars", () => {
  const money = splitPayment(10_000_000, { currency: "GBP", store: "play_store", country: "GB" });
  deepEqual(money, {
    currency: "GBP",
    local: { gross: 10_000_000, commission: 1_500_000, tax: 1_667_000 },
    usd: { gross: 12_700_000, commission: 1_905_000, tax: 2_117_090 },
  });
  const whole = splitPayment(10_000_000, { currency: "USD", store: "promotional", country: "US" });
  deepEqual(whole.local, { gross: 10_000_000, commission: 0, tax: 0 });
});

Deno.test("a refund takes back each part of a payment, and nothing of a free one", () => {
  const sale = { currency: "GBP", store: "app_store", country: "DE" };
  const { local, usd } = negate(splitPayment(10_000_000, sale));
  deepEqual(local, { gross: -10_000_000, commission: -3_000_000, tax: -1_597_000 });
  deepEqual(usd, { gross: -12_700_000, commission: -3_810_000, tax: -2_028_190 });
  ok(Object.values(negate(splitPayment(0, sale)).local).every((part) => Object.is(part, 0)));
});

Deno.test("each store takes its commission, and others take none", () => {
  const stores = ["app_store", "mac_app_store", "play_store", "amazon", "roku", "stripe"];
  const more = ["svc_billing", "paddle", "promotional", "test_store"];
  deepEqual([...stores, ...more].map(commissionRate), [
    ...[0.3, 0.3, 0.15, 0.2, 0.2, 0.03],
    ...[0.03, 0.05, 0, 0],
  ]);
});
