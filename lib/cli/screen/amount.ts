/**
 * Amounts of money, for people.
 *
 * @module
 */

/** An amount with its currency as text; undefined where the service does not name both. */
export function amountOf(
  money: { readonly gross: number; readonly currency: string } | null | undefined,
): string | undefined {
  return typeof money?.gross === "number" ? amountText(money.gross, money.currency) : undefined;
}

/**
 * An amount as text, with the digits that its currency has at least: `9.90`, and `980` in yen.
 * What the service says more exactly stays.
 */
export function amountText(amount: number, currency: string): string {
  const usual = fractionDigits(currency);
  return new Intl.NumberFormat("en", {
    minimumFractionDigits: usual,
    maximumFractionDigits: Math.max(usual, 6),
    useGrouping: false,
  }).format(amount);
}

/** The digits that a currency has after the point; 2 for one that nobody knows. */
export function fractionDigits(currency: string): number {
  try {
    const format = new Intl.NumberFormat("en", { style: "currency", currency });
    return format.resolvedOptions().maximumFractionDigits ?? 2;
  } catch {
    // The service may say anything, and money must be shown all the same.
    return 2;
  }
}
