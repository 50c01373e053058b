/**
 * The store identifiers of products in SDKs.
 *
 * @module
 */

/** The store identifier of a product; for a subscription of Google Play without its base plan. */
interface ProductName {
  /** The product. */
  product: string;
  /** The base plan, if any. */
  plan?: string | undefined;
}

/** Splits an identifier. Google Play has subscriptions with a base plan: `sub:plan`. */
export function splitIdentifier(store: string, name: string): ProductName {
  const at = store === "play_store" ? name.indexOf(":") : -1;
  return at < 0 ? { product: name } : { product: name.slice(0, at), plan: name.slice(at + 1) };
}
