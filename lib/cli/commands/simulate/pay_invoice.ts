/**
 * `cli simulate pay-invoice`.
 *
 * @module
 */

import { argument, command } from "../../words/command.ts";
import { dataFlag } from "../../local/local_service.ts";
import { quoted } from "../../screen/command_lines.ts";
import { openSimulator, sameFlags } from "../../local/simulator.ts";
import { showInvoice } from "../invoices.ts";
import { payInvoice } from "../../../simulator/purchases.ts";

/** Pays an invoice of web billing. */
export const pay = command({
  brief: "Pay an invoice of web billing",
  details: "The subscription of the invoice starts.",
  args: { invoice_id: argument("The invoice's id") },
  flags: dataFlag,
  async run(context, { invoice_id, data }) {
    const invoice = await payInvoice(await openSimulator(context, data), invoice_id);
    showInvoice(context, invoice);
    if (context.out.format === "json") return;
    const customer = quoted(invoice.customer_id);
    context.out.done(`Paid ${invoice.id}`);
    context.out.note(
      `See the subscription: cli subscribers info ${customer}${sameFlags(context, undefined)}`,
    );
  },
});
