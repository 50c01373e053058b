/**
 * Requests made from contracts: most of them nearly right, some of them junk.
 *
 * @module
 */

import { fc } from "./properties.ts";
import { goodValue, type Making, valueOf } from "./any_value.ts";
import { CLEAN, FAULTY, junkBody, junkText } from "./junk.ts";
import { BEFORE, type Stock } from "./request_stock.ts";
import { type Target, targets } from "./request_targets.ts";

/** A request below the service's address. */
export interface AnyRequest {
  /** What it was made for. */
  target: Target;
  /** The path and query. */
  path: string;
  /** The text of the body. */
  body: string | undefined;
  /** Headers besides the credential. */
  headers: Record<string, string>;
  /** The credential it carries instead of the right one, if another. */
  credential: string | undefined;
}

/** Stands for the service's own address, which whoever sends the request knows. */
export const OWN_ORIGIN = "own";

/**
 * Requests for one target after the other, so that each gets its share, with ids of the stock as it
 * is when the request is made. Every second request is for one of the wanted targets, by their names.
 */
export function anyRequest(
  stock: Stock,
  wanted: ReadonlySet<string> = new Set(),
): fc.Arbitrary<AnyRequest> {
  const favoured = targets.filter(({ name }) => wanted.has(name));
  let made = 0;
  return fc.boolean().chain((isClean) => {
    const turn = favoured.length > 0 ? made >> 1 : made;
    const some = favoured.length > 0 && made % 2 === 1 ? favoured : targets;
    const target = some[turn % some.length];
    if (!target) throw new Error("There is nothing to ask for");
    // Every so often the wrong credential.
    const isStranger = Math.floor(turn / targets.length) % 16 === 7;
    made++;
    const making: Making = { stock, ...isClean ? CLEAN : FAULTY };
    const key = `Bearer ${stock.of("public_api_keys").at(-1)}`;
    return fc.record({
      target: fc.constant(target),
      path: fc.tuple(anyPath(target, making), anyQuery(target, making))
        .map((parts) => parts.join("")),
      body: target.method === "GET" ? fc.constant(undefined) : anyBody(target, making),
      headers: anyHeaders(target, making),
      credential: isStranger
        ? fc.constantFrom("", "Bearer x", "Basic eDp4", key)
        : fc.constant(undefined),
    });
  });
}

function anyHeaders(
  { path, isForm }: Target,
  making: Making,
): fc.Arbitrary<Record<string, string>> {
  const type = isForm ? "application/x-www-form-urlencoded" : "application/json";
  const plain = fc.record({
    "Content-Type": making.mostly(fc.constant(type), fc.constantFrom("text/plain", "*/*", "")),
    "Idempotency-Key": making.often(fc.uuid(), fc.constantFrom("a", "b", "", "x".repeat(256))),
    "User-Agent": fc.string({ unit: fc.constantFrom(..."abc/ \u00ff") }),
  }, { requiredKeys: ["Content-Type"] });
  if (!isForm || !path.endsWith("/authorize")) return plain;
  // As a browser sends the form of the consent page.
  const origin = making.often(
    fc.constant(OWN_ORIGIN),
    fc.constantFrom("http://example.com", "null"),
  );
  const cookies = making.stock.of("cookies").join("; ");
  return fc.tuple(plain, origin)
    .map(([headers, Origin]) => ({ ...headers, Origin, Cookie: cookies }));
}

/** A store that can do what not every store can. */
const ABLE: Readonly<Record<string, string>> = {
  fail: "play_store",
  pause: "play_store",
  cancel: "app_store",
  change_product: "app_store",
  extend: "app_store",
  family_share: "app_store",
  raise_price: "app_store",
  refund: "app_store",
};

/** The ids that an address is best filled with. */
function bestIds({ path, credential }: Target, kind: string, stock: Stock): readonly string[] {
  if (!path.includes(`/${kind}/{`) || kind === "projects") return [];
  const action = path.split("/").at(-1) ?? "";
  const before = BEFORE[action];
  const done = before === undefined ? [] : stock.of(`${kind} after ${before}`).slice(-5);
  if (done.length > 0) return done;
  const store = ABLE[action];
  if (store !== undefined && credential === "admin") {
    return stock.of(`${kind} of ${store}`).slice(-12);
  }
  if (action === "pay") return stock.of("invoices to pay");
  if (/^(store_kit_config|push_to_store|create_in_store)$/.test(action)) {
    return stock.of(`${kind} of app_store`);
  }
  if (action === "paywall") return stock.of("offerings after paywall");
  if (kind === "deliveries" || kind === "events") return stock.of(kind).slice(-20);
  // Only web billing lets others than its store cancel and refund.
  const isOwn = credential === "token" && /\/(subscriptions|purchases)\/.*actions/.test(path);
  return isOwn ? stock.of(`${kind} of svc_billing`).slice(-12) : [];
}

/** Places of objects that only their owner's id finds, by the kind of pairs in the stock. */
const PAIRS: readonly [place: string, kind: string, none: string][] = [
  [
    "{subscription_id}/transactions/{transaction_id}",
    "transactions",
    "none/transactions/none",
  ],
  ["{id}/invoices/{invoice_id}", "invoices of customers", "none/invoices/none"],
];

/** A path template with values in it: mostly ids that exist, else ids that do not, or no ids. */
function anyPath(target: Target, making: Making): fc.Arbitrary<string> {
  for (const [place, kind, none] of PAIRS) {
    const pairs = making.stock.of(kind);
    if (!target.path.includes(place) || pairs.length === 0) continue;
    return making.mostly(fc.constantFrom(...pairs), fc.constant(none))
      .chain((one) => anyPath({ ...target, path: target.path.replace(place, one) }, making));
  }
  const segments = target.path.split("/").map((segment, i, all) => {
    if (!segment.startsWith("{")) return fc.constant(segment);
    return anySegment(target, all[i - 1] ?? "", making);
  });
  return fc.tuple(...segments).map((parts) => parts.join("/"));
}

const rawSegment = fc.constantFrom(
  ..."% %zz %C0%AF a%2 %2e .. ; a&b=c %F0%9F".split(" "),
  "",
);

/** A value in a path. */
function anySegment(target: Target, kind: string, making: Making): fc.Arbitrary<string> {
  const best = bestIds(target, kind, making.stock);
  const all = kind === "subscribers" ? making.stock.of("customers") : making.stock.of(kind);
  const any = fc.constantFrom(...all.length > 0 ? all : ["none"]);
  const known = best.length > 0 ? fc.oneof(fc.constantFrom(...best), any) : any;
  const strange = making.often(junkText, fc.constantFrom(...making.stock.of("apps"), "none"));
  const id = kind === "projects" ? making.mostly(known, strange) : making.often(known, strange);
  const encoded = id.map((text) => encodeURIComponent(text.toWellFormed()));
  return making.mostly(encoded, rawSegment);
}

/** A value as it stands in a query or a form. */
function plainText(value: unknown): string {
  if (Array.isArray(value)) return value.map(plainText).join(",");
  return typeof value === "string" ? value : JSON.stringify(value) ?? "";
}

/** A query with some of the target's parameters, and some that it does not have. */
function anyQuery(target: Target, making: Making): fc.Arbitrary<string> {
  const own = target.query.map((parameter) =>
    fc.tuple(
      fc.constant(parameter.name),
      making.often(anyParameter(target, parameter, making), junkText),
    )
  );
  const other = fc.tuple(fc.constantFrom("expand", "limit", "surprise"), junkText);
  const none: fc.Arbitrary<[string, unknown][]> = fc.constant([]);
  // These are nothing without theirs.
  const needsAll = /\/(search|authorize)$|\}\/(subscriptions|purchases)$/.test(target.path) &&
    !target.path.includes("{id}");
  const few = own.length === 0
    ? making.mostly(none, fc.tuple(other))
    : fc.array(making.often(fc.oneof(...own), other), { minLength: 1, maxLength: 3 });
  const pairs = needsAll ? making.often(fc.tuple(...own), few) : fc.oneof(none, none, few);
  return pairs.map((all) => {
    const parts = all.map(([name, value]) =>
      `${name}=${encodeURIComponent(plainText(value).toWellFormed())}`
    );
    return parts.length > 0 ? `?${parts.join("&")}` : "";
  });
}

/** A good value of a parameter. */
function anyParameter(
  { path }: Target,
  { name, schema }: Target["query"][number],
  making: Making,
): fc.Arbitrary<unknown> {
  const { stock } = making;
  if (name === "starting_after") {
    return fc.constantFrom(...stock.of(path.split("/").at(-1) ?? ""), "none");
  }
  const isOpen = !schema.enum && !("const" in schema);
  return isOpen ? goodValue(name, stock) ?? valueOf(schema, making) : valueOf(schema, making);
}

/** A body, where the target has one: mostly as its schema says, with faults strewn in. */
function anyBody(
  { body, isForm }: Target,
  making: Making,
): fc.Arbitrary<string | undefined> {
  if (!body) return making.mostly(fc.constant(undefined), junkBody);
  const value = valueOf(body, making);
  return making.often(value.map(isForm ? formText : (one) => JSON.stringify(one)), junkBody);
}

/** An object as a form. */
function formText(value: unknown): string {
  if (typeof value !== "object" || value === null) return plainText(value);
  const pairs = Object.entries(value).map(([name, one]) => [name, plainText(one).toWellFormed()]);
  return new URLSearchParams(pairs).toString();
}
