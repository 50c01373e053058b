/**
 * The page: a paywall of the current offering, and what the customer has. `main.ts` bundles it.
 *
 * @module
 */

import { type CustomerInfo, type Package, Purchases, PurchasesError } from "purchases";

/** Where the service is, and the app's public key. */
interface Settings {
  /** The service's address. */
  service: string;
  /** The key. */
  key: string;
}

const settings: Settings = await (await fetch("/settings.json")).json();
const apiKey = new URL(location.href).searchParams.get("key") ?? settings.key;

const purchases = Purchases.configure({
  apiKey,
  appUserId: localStorage.getItem("user") ?? newGuest(),
  httpConfig: { proxyURL: settings.service },
});

element("sign-in").addEventListener("submit", (event) => {
  event.preventDefault();
  const { elements } = event.target as HTMLFormElement;
  const name = (elements.namedItem("name") as HTMLInputElement).value;
  act(async () => {
    await purchases.identifyUser(name);
    await purchases.setAttributes({ $displayName: name });
    localStorage.setItem("user", name);
  });
});
element("sign-out").addEventListener("click", () => act(signOut));
element("restore").addEventListener("click", () => act(restore));
element("refresh").addEventListener("click", () => act(async () => {}));
// The last token outlives a reload, as a store keeps what was bought.
act(async () => {});

/** Signs out: a new guest has nothing. */
async function signOut(): Promise<void> {
  localStorage.removeItem("user");
  await purchases.changeUser(newGuest());
}

/** Makes up the id of a guest, and keeps it. */
function newGuest(): string {
  const guest = Purchases.generateRevenueCatAnonymousAppUserId();
  localStorage.setItem("user", guest);
  return guest;
}

/** Buys a package in the dialogue of the test store. */
async function buy(rcPackage: Package): Promise<void> {
  const { storeTransaction } = await purchases.purchase({ rcPackage });
  const { storeTransactionId: token, productIdentifier: product } = storeTransaction;
  localStorage.setItem("bought", JSON.stringify({ token, product }));
}

/** Restores the last purchase of this browser. The SDK for pages leaves that to the app. */
async function restore(): Promise<void> {
  const bought: { token: string; product: string } | null = JSON.parse(
    localStorage.getItem("bought") ?? "null",
  );
  if (!bought) throw new Error("This browser has bought nothing");
  const response = await fetch(`${settings.service}/v1/receipts`, {
    method: "POST",
    headers: { "Authorization": `Bearer ${apiKey}`, "Content-Type": "application/json" },
    body: JSON.stringify({
      app_user_id: purchases.getAppUserId(),
      fetch_token: bought.token,
      product_id: bought.product,
      initiation_source: "restore",
    }),
  });
  if (!response.ok) throw new Error((await response.json()).message);
}

/** Does something, then shows what has come of it. */
async function act(work: () => Promise<void>): Promise<void> {
  const message = element("message");
  message.textContent = "Working";
  try {
    await work();
    await show();
    message.textContent = "Ready";
  } catch (error) {
    const code = error instanceof PurchasesError ? ` (error ${error.errorCode})` : "";
    message.textContent = `${error instanceof Error ? error.message : error}${code}`;
  }
}

/** Shows offers, access and balances. */
async function show(): Promise<void> {
  element("user").textContent = purchases.getAppUserId();
  const { current } = await purchases.getOfferings();
  element("offers").replaceChildren(...(current?.availablePackages ?? []).map(offer));
  // The SDK keeps balances until it is told that they have changed.
  purchases.invalidateVirtualCurrenciesCache();
  const { all } = await purchases.getVirtualCurrencies();
  element("currencies").replaceChildren(
    ...Object.values(all).map(({ code, balance }) => item(`${code}: ${balance}`)),
  );
  showAccess(await purchases.getCustomerInfo());
}

function showAccess({ entitlements, activeSubscriptions }: CustomerInfo): void {
  const names = Object.keys(entitlements.active).join(", ") || "nothing";
  const subscriptions = [...activeSubscriptions].join(", ") || "none";
  element("access").textContent = `Access: ${names}. Subscriptions: ${subscriptions}.`;
}

/** A package with its price and a button. */
function offer(rcPackage: Package): HTMLElement {
  const { title, price } = rcPackage.webBillingProduct;
  const button = document.createElement("button");
  button.textContent = `Buy ${title}`;
  button.addEventListener("click", () => act(() => buy(rcPackage)));
  const shown = item(`${rcPackage.packageType} ${price.formattedPrice} `);
  shown.append(button);
  return shown;
}

function item(text: string): HTMLElement {
  const shown = document.createElement("li");
  shown.textContent = text;
  return shown;
}

function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no element ${id}`);
  return found;
}
