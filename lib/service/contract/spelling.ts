/**
 * The public API's names that differ from those of the specification. Requests may use either.
 * Answers use the specification's names, except for objects that were created with a public name.
 * In the public dialect all answers use public names.
 *
 * @module
 */

/** The names in answers. */
export type Dialect = "specified" | "public";

/** The store and app type of web billing: our name. */
export const BILLING = "svc_billing";

/** The same by its public name. */
const PUBLIC_BILLING = "rc_billing";

/** Our name of a store or app type, from either name. */
export function ownStore(name: string): string {
  return name === PUBLIC_BILLING ? BILLING : name;
}

/** The public name of a store or app type. */
export function publicStore(name: string): string {
  return name === BILLING ? PUBLIC_BILLING : name;
}

/** The prefixes of web-billing keys: ours, and the public one. */
const KEYS = ["svcb_", "rcb_"] as const;

/** The prefixes of standard packages: ours, and the public one. */
const PACKAGES = ["$svc_", "$rc_"] as const;

/** The spellings of an SDK key: one or two. */
export function spellingsOfKey(key: string): string[] {
  return spellings(key, KEYS);
}

/** The spellings of a package's lookup key: one or two. */
export function spellingsOfPackage(key: string): string[] {
  return spellings(key, PACKAGES);
}

/** The public spelling of an SDK key. */
export function publicKey(key: string): string {
  return inPublic(key, KEYS);
}

/** Fields with free content from callers. */
const FREE = new Set([
  ...["metadata", "contents", "components", "paywall", "paywall_components", "additional_data"],
  ...["attributes", "subscriber_attributes"],
]);

/** An answer in the public dialect. Values chosen by callers stay unchanged. */
export function publicAnswer(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(publicAnswer);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) =>
    [name, FREE.has(name) ? inner : publicAnswer(inner)] as const
  );
  return respelled(Object.fromEntries(entries));
}

/** One object with its own names in the public spelling. */
function respelled(object: Record<string, unknown>): Record<string, unknown> {
  switch (object["object"]) {
    case "app":
      return publicApp(object);
    case "public_api_key":
      return changed(object, "key", publicKey);
    case "subscription":
    case "purchase":
      return changed(object, "store", publicStore);
    case "package":
      return changed(object, "lookup_key", publicPackage);
    case undefined:
      // A package in an SDK's answer, or a value of a chart's filter.
      if ("platform_product_identifier" in object) {
        return changed(object, "identifier", publicPackage);
      }
      return "display_name" in object ? changed(object, "id", publicStore) : object;
  }
  return object;
}

/** An app with the public name in its type and in the object named after it. */
export function publicApp(app: Record<string, unknown>): Record<string, unknown> {
  if (app["type"] !== BILLING) return app;
  const { [BILLING]: settings, ...rest } = app;
  return { ...rest, type: PUBLIC_BILLING, [PUBLIC_BILLING]: settings };
}

/** An event in the public dialect. */
export function publicEvent(event: Record<string, unknown>): Record<string, unknown> {
  const store = (name: string) => publicStore(name.toLowerCase()).toUpperCase();
  const product = (name: string) => name.replace(/^svc_promo_/, "rc_promo_");
  const spelled = changed(event, "store", store);
  return event["store"] === "PROMOTIONAL" ? changed(spelled, "product_id", product) : spelled;
}

function publicPackage(key: string): string {
  return inPublic(key, PACKAGES);
}

/** An object with one text in another spelling. */
function changed(
  object: Record<string, unknown>,
  name: string,
  spell: (text: string) => string,
): Record<string, unknown> {
  const value = object[name];
  return typeof value === "string" ? { ...object, [name]: spell(value) } : object;
}

function inPublic(text: string, [own, other]: readonly [string, string]): string {
  return text.startsWith(own) ? other + text.slice(own.length) : text;
}

function spellings(text: string, [own, other]: readonly [string, string]): string[] {
  if (text.startsWith(own)) return [text, other + text.slice(own.length)];
  return text.startsWith(other) ? [text, own + text.slice(other.length)] : [text];
}
