/**
 * What requests at random can name: ids that exist, by kind, learnt from every answer.
 *
 * @module
 */

/** Ids by kind. */
export interface Stock {
  /** The ids of a kind, the newest last; there may be none. */
  of(kind: string): readonly string[];
  /** The latest time of the project that an answer told, in milliseconds since 1970. */
  now: number;
  /** Adds one. */
  add(kind: string, id: string): void;
  /** Learns from an answer to a request. */
  learn(method: string, pathname: string, response: Response, text: string): void;
}

/** What has to have been done to an object before something else can be. */
export const BEFORE: Readonly<Record<string, string>> = {
  recover: "fail",
  resume: "pause",
  uncancel: "cancel",
  agree_to_price: "raise_price",
  reverse_refund: "refund",
  unarchive: "archive",
};

/** As many ids of a kind are kept. */
const MOST = 60;

/** The kinds of the objects in answers, where it is not their word in paths. */
const KINDS: Readonly<Record<string, string>> = {
  virtual_currency: "virtual_currencies",
  webhook_integration: "webhooks",
  delivery: "deliveries",
};

/** An empty stock. */
export function createStock(): Stock {
  const shelves = new Map<string, string[]>();
  const shelf = (kind: string) => {
    const found = shelves.get(kind) ?? [];
    shelves.set(kind, found);
    return found;
  };
  const stock: Stock = {
    now: Date.now(),
    of: (kind) => shelf(kind),
    add(kind, id) {
      const ids = shelf(kind);
      if (ids.includes(id)) ids.splice(ids.indexOf(id), 1);
      if (ids.length >= MOST) ids.splice(ids.length >> 1, 1);
      ids.push(id);
    },
    learn(method, pathname, response, text) {
      const isJson = response.headers.get("Content-Type") === "application/json";
      if (response.status === 404 && isJson) forget(shelves, JSON.parse(text));
      if (response.status === 422) pass(shelves, pathname);
      if (response.status >= 400) return;
      if (method !== "GET") learnPlace(shelves, stock, pathname);
      learnForm(stock, response, text);
      // What has ids, and nothing else: of the document there is nothing to learn.
      if (isJson && pathname !== "/openapi.json") learnValue(stock, JSON.parse(text), pathname);
      if (method === "DELETE") drop(shelves, decodeURIComponent(pathname.split("/").at(-1) ?? ""));
    },
  };
  return stock;
}

/** Forgets an id that an error says does not exist. */
function forget(shelves: Map<string, string[]>, { message }: { message?: unknown }): void {
  const [, id] = /^There is no [\w ]+ ("(?:[^"\\]|\\.)*")/.exec(String(message)) ?? [];
  if (id) drop(shelves, JSON.parse(id));
}

/** Puts aside an object that something was not possible with. Any answer that shows it takes it back. */
function pass(shelves: Map<string, string[]>, pathname: string): void {
  const segments = pathname.split("/");
  for (const [kind, ids] of shelves) {
    const [word, how] = kind.split(" ");
    const id = how === undefined ? "" : segments[segments.indexOf(word ?? "") + 1] ?? "";
    const place = ids.indexOf(id);
    if (place >= 0) ids.splice(place, 1);
  }
}

function drop(shelves: Map<string, string[]>, id: string): void {
  for (const [kind, ids] of shelves) {
    if (kind === "projects" || kind === "charts") continue;
    const isIt = (one: string) =>
      one === id || one.startsWith(`${id}/transactions/`) || one.startsWith(`${id}/invoices/`);
    for (let at = ids.findIndex(isIt); at >= 0; at = ids.findIndex(isIt)) ids.splice(at, 1);
  }
}

/** Notes what was done to which object: what follows on it can be tried then, once. */
function learnPlace(shelves: Map<string, string[]>, stock: Stock, pathname: string): void {
  const [, kind, id, action] = /\/(\w+)\/([^/]+)\/(?:actions\/)?(\w+)$/.exec(pathname) ?? [];
  if (!kind || !id || !action) return;
  const own = decodeURIComponent(id);
  const before = shelves.get(`${kind} after ${BEFORE[action]}`) ?? [];
  if (before.includes(own)) before.splice(before.indexOf(own), 1);
  stock.add(`${kind} after ${action}`, own);
}

/** Keeps a form of the consent page with its cookie, and the code that comes of it. */
function learnForm(stock: Stock, response: Response, text: string): void {
  const form = /name="form" value="([^"]+)"/.exec(text)?.[1];
  const cookie = response.headers.get("Set-Cookie")?.split(";")[0];
  const account = /name="account" value="([^"]+)"/.exec(text)?.[1];
  if (form && cookie && account) {
    stock.add("forms", form);
    stock.add("cookies", cookie);
    stock.add("accounts", account);
  }
  const location = response.headers.get("Location");
  const code = location && URL.parse(location)?.searchParams.get("code");
  if (code) stock.add("codes", code);
}

/** Keeps the ids of an object, or of those in a list. */
function learnValue(stock: Stock, value: unknown, pathname: string): void {
  if (typeof value !== "object" || value === null) return;
  const { object, id, code, name, items, ...fields }: Record<string, unknown> = { ...value };
  if (Array.isArray(items)) { for (const item of items) learnValue(stock, item, pathname); }
  for (const inner of Object.values(fields)) learnValue(stock, inner, pathname);
  for (const kind of ["access_token", "refresh_token"]) {
    const token = fields[kind];
    if (typeof token === "string") stock.add(`${kind}s`, token);
  }
  if (object === "clock" && typeof fields["now"] === "number") stock.now = fields["now"];
  if (typeof object !== "string" || object === "project" || object === "list") return;
  const kind = KINDS[object] ?? `${object}s`;
  const own = object === "receipt"
    ? fields["fetch_token"]
    : object === "virtual_currency"
    ? code
    : object === "listener"
    ? name
    : id;
  if (typeof own !== "string") return;
  stock.add(kind, own);
  const [, subscription] = /\/subscriptions\/([^/]+)\/transactions$/.exec(pathname) ?? [];
  if (subscription) stock.add("transactions", `${subscription}/transactions/${own}`);
  const [, customer] = /\/customers\/([^/]+)\/invoices$/.exec(pathname) ?? [];
  if (customer) stock.add("invoices of customers", `${customer}/invoices/${own}`);
  const store = storeOf(stock, object, fields);
  const isOver = /^(expired|refunded)$/.test(String(fields["status"]));
  if (store !== undefined && !isOver) stock.add(`${kind} of ${store}`, own);
  if (object === "invoice" && fields["paid_at"] === null) stock.add("invoices to pay", own);
}

/** The store that an object belongs to, as far as that matters. */
function storeOf(
  stock: Stock,
  object: string,
  { store, type, app_id }: Record<string, unknown>,
): string | undefined {
  if (object === "app") return String(type);
  if (object === "product") {
    return stock.of("apps of app_store").includes(String(app_id)) ? "app_store" : undefined;
  }
  return typeof store === "string" ? store : undefined;
}
