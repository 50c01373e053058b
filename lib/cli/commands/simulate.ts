/**
 * `cli simulate …`: what customers and stores do, at the local service and nowhere else.
 *
 * @module
 */

import { amountText } from "../screen/amount.ts";
import {
  argument,
  code,
  command,
  type Group,
  group,
  parsed,
  text,
  toggle,
} from "../words/command.ts";
import { parseCount } from "../input/input.ts";
import { dataFlag } from "../local/local_service.ts";
import { quoted } from "../words/shell.ts";
import { cardFields, showOne } from "../words/plain.ts";
import {
  moment,
  openSimulator,
  orNull,
  parsePrice,
  period,
  periodOrNone,
  price as priceFlag,
  sameFlags,
  userId,
} from "../local/simulator.ts";
import { showInvoice } from "./invoices.ts";
import { event, events } from "./events/log.ts";
import { give, spend } from "./simulate/currency.ts";
import { faults } from "./simulate/faults.ts";
import { refund, reverseRefund } from "./simulate/refund.ts";
import { subscriptionActions } from "./simulate/subscription.ts";
import { showBought } from "./simulate/told.ts";
import { showSubscriber } from "./subscribers/card.ts";
import { entitlementKeys } from "./subscribers/holdings.ts";
import { changeSettings, createTestStoreApp, setProductPrice } from "../../simulator/catalogue.ts";
import { signInCustomer } from "../../simulator/customers.ts";
import { buyProduct, payInvoice } from "../../simulator/purchases.ts";

const PRODUCT = "The product's id, or the store's name of it";

const purchase = command({
  brief: "Let a customer buy a product",
  details:
    "A subscription or something that is bought once, in the store of the product's app. An " +
    "unknown customer is created. A product without a price or a length of its own is refused " +
    "without --price or --duration; set both with: " +
    "cli simulate price <product-id> <price> --duration P1M",
  examples: [
    "cli simulate purchase ada notes.pro.monthly --price 9.99",
    "cli simulate purchase ada notes.pro.annual --price 60 --currency EUR --trial",
    "cli simulate purchase ada notes_web_monthly --price 9.99 --unpaid",
  ],
  args: { user_id: argument("The customer's app user id"), product_id: argument(PRODUCT) },
  flags: {
    price: priceFlag("The price (default: the product's own)"),
    currency: code("The currency (default: the product's, else USD)"),
    country: code("The country, such as GB (default: the customer's)"),
    trial: toggle("Begin with a trial (of the product's length, else a week)"),
    trial_duration: period("Begin with a trial of this length", "--trial-duration"),
    offering: text("The offering that was shown", { placeholder: "id" }),
    quantity: parsed(
      "How many, of what is bought once (default: 1)",
      (value) => parseCount(value, "--quantity", { min: 1, max: 100 }),
      { placeholder: "n" },
    ),
    sandbox: toggle("With money that is not real"),
    duration: period(
      "The length of a period (default: the product's; needed where it has none)",
      "--duration",
    ),
    grace: periodOrNone("The grace period (default: the product's)", "--grace"),
    starts_at: moment("When it starts, if not now", "--starts-at"),
    unpaid: toggle("Let it wait for its invoice to be paid (web billing)"),
    unverified: toggle("While the store cannot be reached: access for a day, and no payment"),
    family_shared: toggle("As what a member of the family shares"),
    transaction_id: text("The store's id of the transaction", { placeholder: "id" }),
    ...dataFlag,
  },
  async run(context, { data, ...input }) {
    const { product_id, trial, trial_duration } = input;
    const user_id = userId(input.user_id);
    const bought = await buyProduct(
      await openSimulator(context, data),
      {
        customer_id: user_id,
        product_id,
        trial: trial_duration ?? trial,
        price: input.price,
        currency: input.currency,
        country: input.country,
        environment: input.sandbox ? "sandbox" : undefined,
        ownership: input.family_shared ? "family_shared" : undefined,
        offering_id: input.offering,
        quantity: input.quantity,
        duration: input.duration,
        grace_period_duration: orNull(input.grace),
        starts_at: input.starts_at,
        paid: input.unpaid ? false : undefined,
        verified: input.unverified ? false : undefined,
        store_transaction_id: input.transaction_id,
      },
    );
    showBought(context, data, bought, `${user_id} bought ${product_id}`);
  },
});

const price = command({
  brief: "Set the price of a product in its store",
  details: "And its terms, for what is bought or changed to from now on.",
  args: { product_id: argument(PRODUCT), price: argument("The price, such as 9.99") },
  flags: {
    currency: code("The currency (default: USD)"),
    duration: period("The length of a period", "--duration"),
    trial_duration: periodOrNone("The length of the trial", "--trial-duration"),
    grace: periodOrNone("The grace period", "--grace"),
    ...dataFlag,
  },
  async run(context, { product_id, data, currency, duration, ...input }) {
    const body = {
      price: parsePrice(input.price),
      currency,
      duration,
      trial_duration: orNull(input.trial_duration),
      grace_period_duration: orNull(input.grace),
    };
    const simulator = await openSimulator(context, data);
    const answer = await setProductPrice(simulator, product_id, body);
    const { out } = context;
    if (out.format === "json") return showOne(context, answer);
    const { product, currency: code } = answer;
    const amount = amountText(answer.price, code);
    const shown = { ...product, price: amount, currency: code };
    out.card(shown, cardFields(shown));
    out.done(`${product.store_identifier} costs ${amount} ${code}`);
  },
});

const alias = command({
  brief: "Let a customer sign in with another id",
  details: "As SDKs do it: an anonymous customer is merged with the id, unless the id belongs to " +
    "somebody who was anonymous before; everyone else switches to the other customer.",
  args: {
    user_id: argument("The customer's app user id"),
    alias: argument("The id to sign in with"),
  },
  flags: dataFlag,
  async run(context, { user_id, alias, data }) {
    const simulator = await openSimulator(context, data);
    const answer = await signInCustomer(simulator, user_id, { alias });
    const { out } = context;
    if (out.format === "json") return showOne(context, answer);
    // Who may use the simulator need not be signed in: then the ids have to do.
    const keys = await context.client().then(entitlementKeys).catch(() => undefined);
    showSubscriber(context, answer.customer, { keys });
    out.done(
      {
        same: `${user_id} and ${alias} are the same customer already`,
        merged: `${user_id} and ${alias} are now one customer: ${answer.customer.id}`,
        switched: `${alias} is another customer: nothing was merged`,
      }[answer.outcome],
    );
  },
});

const testStore = command({
  brief: "Create an app of the test store",
  details: "There a month lasts five minutes, and a subscription renews five times at most.",
  args: { name: argument("The app's name") },
  flags: dataFlag,
  async run(context, { name, data }) {
    const app = await createTestStoreApp(await openSimulator(context, data), { name });
    showOne(context, app);
    if (context.out.format === "json") return;
    const flags = sameFlags(context, undefined);
    const product = `{"app_id": "${app.id}", "store_identifier": "monthly", "title": "Monthly", ` +
      '"type": "subscription", "subscription": {"duration": "P1M"}}';
    context.out.note(
      `Add a product to it: echo '${product}' | cli products create --file -${flags}`,
    );
  },
});

const pay = command({
  brief: "Pay an invoice of web billing",
  details: "The subscription that waits for it begins.",
  args: { invoice_id: argument("The invoice's id") },
  flags: dataFlag,
  async run(context, { invoice_id, data }) {
    const invoice = await payInvoice(await openSimulator(context, data), invoice_id);
    showInvoice(context, invoice);
    if (context.out.format === "json") return;
    const customer = quoted(invoice.customer_id);
    context.out.done(`Paid ${invoice.id}`);
    context.out.note(
      `See what has begun: cli subscribers info ${customer}${sameFlags(context, undefined)}`,
    );
  },
});

const refundWindow = command({
  brief: "Set how old a payment may be that is refunded",
  args: { days: argument("Days: 0 to 36500") },
  flags: dataFlag,
  async run(context, { days, data }) {
    const refund_window_days = parseCount(days, "the days", { min: 0, max: 36_500 });
    const simulator = await openSimulator(context, data);
    showOne(context, await changeSettings(simulator, { refund_window_days }));
  },
});

/** What customers and stores do. */
export const simulate: Group = {
  ...group("What customers and stores do, at the local service", [], {
    purchase,
    ...subscriptionActions,
    refund,
    "reverse-refund": reverseRefund,
    "pay-invoice": pay,
    price,
    alias,
    give,
    spend,
    "test-store": testStore,
    "refund-window": refundWindow,
    events,
    event,
    faults,
  }),
  examples: [
    "cli simulate purchase ada notes.pro.monthly --price 9.99 --trial",
    "cli simulate fail sub1ab2c3d4e5 --at-renewal --grace 16d",
    "cli clock advance P1M",
    "cli simulate events --type BILLING_ISSUE",
  ],
};
