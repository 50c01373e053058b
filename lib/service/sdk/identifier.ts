/**
 * The store's names of products, as SDKs receive them.
 *
 * @module
 */

/** The store's name of a product; for a subscription of Google Play without its base plan. */
interface ProductName {
  /** The product. */
  product: string;
  /** The base plan, where there is one. */
  plan?: string | undefined;
}

/** Takes a name apart. Google Play has subscriptions with a base plan: `sub:plan`. */
export function splitIdentifier(store: string, name: string): ProductName {
  const at = store === "play_store" ? name.indexOf(":") : -1;
  return at < 0 ? { product: name } : { product: name.slice(0, at), plan: name.slice(at + 1) };
}
