import { deepEqual, equal, ok } from "node:assert/strict";
import { CURRENCIES, decimalsOf, USD_PER_UNIT } from "../../../lib/service/domain/currencies.ts";
import { convertPrice, payable } from "../../../lib/service/domain/money.ts";

Deno.test("currencies have the decimals of ISO 4217, and a rate", () => {
  const withDecimals = (count: number) =>
    CURRENCIES.filter((code) => decimalsOf(code) === count).toSorted();
  deepEqual(withDecimals(0), [
    ...["BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND"],
    ...["VUV", "XAF", "XOF", "XPF"],
  ]);
  deepEqual(withDecimals(3), ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"]);
  equal(withDecimals(2).length, CURRENCIES.length - 16 - 7);
  for (const code of CURRENCIES) ok((USD_PER_UNIT.get(code) ?? 0) > 0, code);
});

Deno.test("a price is rounded to what its currency can express", () => {
  equal(payable(1_499_999, "USD"), 1_500_000);
  equal(payable(1_499_999, "JPY"), 1_000_000);
  equal(payable(1_499_499, "KWD"), 1_499_000);
  equal(convertPrice(9_990_000, "USD", "JPY") % 1_000_000, 0);
  equal(convertPrice(9_994_999, "USD", "USD"), 9_994_999);
});
