/**
 * `cli simulate …`: simulates customers and stores, only at the local service.
 *
 * @module
 */

import { type Group, group } from "../words/command.ts";
import { list } from "./events/list.ts";
import { view } from "./events/view.ts";
import { renew } from "./simulate/renew.ts";
import { fail } from "./simulate/fail.ts";
import { recover } from "./simulate/recover.ts";
import { cancel } from "./simulate/cancel.ts";
import { uncancel } from "./simulate/uncancel.ts";
import { pause } from "./simulate/pause.ts";
import { resume } from "./simulate/resume.ts";
import { change } from "./simulate/change_product.ts";
import { extend } from "./simulate/extend.ts";
import { expire } from "./simulate/expire.ts";
import { raise } from "./simulate/raise_price.ts";
import { agree } from "./simulate/agree_to_price.ts";
import { familyShare } from "./simulate/family_share.ts";
import { purchase } from "./simulate/purchase.ts";
import { price } from "./simulate/price.ts";
import { alias } from "./simulate/alias.ts";
import { testStore } from "./simulate/test_store.ts";
import { pay } from "./simulate/pay_invoice.ts";
import { refundWindow } from "./simulate/refund_window.ts";
import { give } from "./simulate/give.ts";
import { spend } from "./simulate/spend.ts";
import { faults } from "./simulate/faults.ts";
import { refund } from "./simulate/refund.ts";
import { restoreBehavior } from "./simulate/restore_behavior.ts";
import { reverseRefund } from "./simulate/reverse_refund.ts";

/** Simulated customers and stores. */
export const simulate: Group = {
  ...group("Simulate customers and stores (local service)", [], {
    purchase,
    renew,
    fail,
    recover,
    cancel,
    uncancel,
    pause,
    resume,
    "change-product": change,
    extend,
    expire,
    "raise-price": raise,
    "agree-to-price": agree,
    "family-share": familyShare,
    refund,
    "reverse-refund": reverseRefund,
    "pay-invoice": pay,
    price,
    alias,
    give,
    spend,
    "test-store": testStore,
    "refund-window": refundWindow,
    "restore-behavior": restoreBehavior,
    events: list,
    event: view,
    faults,
  }),
  examples: [
    "cli simulate purchase ada notes.pro.monthly --price 9.99 --trial",
    "cli simulate fail sub1ab2c3d4e5 --at-renewal --grace 16d",
    "cli clock advance P1M",
    "cli simulate events --type BILLING_ISSUE",
  ],
};
