/**
 * Amounts of money, for display.
 *
 * @module
 */

/** An amount with its currency as text; undefined if the service does not name both. */
export function amountOf(
  money: { readonly gross: number; readonly currency: string } | null | undefined,
): string | undefined {
  return typeof money?.gross === "number" ? amountText(money.gross, money.currency) : undefined;
}

/**
 * An amount as text, with at least the currency's digits: `9.90`, and `980` in yen. More exact
 * amounts stay as they are.
 */
export function amountText(amount: number, currency: string): string {
  const usual = fractionDigits(currency);
  return new Intl.NumberFormat("en", {
    minimumFractionDigits: usual,
    maximumFractionDigits: Math.max(usual, 6),
    useGrouping: false,
  }).format(amount);
}

/** A currency's digits after the point; 2 if unknown. */
export function fractionDigits(currency: string): number {
  try {
    const format = new Intl.NumberFormat("en", { style: "currency", currency });
    return format.resolvedOptions().maximumFractionDigits ?? 2;
  } catch {
    // The service may send anything, and the amount must be shown in any case.
    return 2;
  }
}
