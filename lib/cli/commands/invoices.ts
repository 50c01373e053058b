/**
 * `cli invoices …`
 *
 * @module
 */

import { cardFields, showOne } from "../words/plain.ts";
import {
  getInvoice,
  getInvoiceFile,
  type Invoice,
  type InvoiceLineItem,
} from "../../resources/invoices.ts";
import { amountOf } from "../screen/amount.ts";
import { argument, command, group } from "../words/command.ts";
import type { Context } from "../context.ts";
import type { Column } from "../screen/output.ts";

const lineColumns: Column<InvoiceLineItem>[] = [
  { header: "product", value: (line) => line.product_identifier, kind: "id" },
  { header: "name", value: (line) => line.product_display_name },
  { header: "duration", value: (line) => line.product_duration },
  { header: "quantity", value: (line) => line.quantity },
  {
    header: "unit_amount",
    value: ({ unit_amount }) => amountOf(unit_amount),
    kind: "number",
  },
  { header: "currency", value: (line) => line.unit_amount?.currency, kind: "word" },
];

const view = command({
  brief: "Show an invoice",
  details: "Find a subscriber's invoices with: cli subscribers invoices <user-id>",
  args: { id: argument("The invoice's id") },
  async run(context, { id }) {
    showInvoice(context, await getInvoice(await context.client(), id));
  },
});

const file = command({
  brief: "Print the address of an invoice's PDF file",
  details: "The address needs no sign-in and expires after an hour. Until then anyone who has it " +
    "can download the file.",
  examples: ['curl -o invoice.pdf "$(cli invoices file ada svcbin1a2b3c4d5e6f7a8b)"'],
  args: {
    user_id: argument("The subscriber's app user id"),
    id: argument("The invoice's id"),
  },
  async run(context, { user_id, id }) {
    const answer = await getInvoiceFile(await context.client(), user_id, id);
    if (context.out.format === "json") return showOne(context, answer);
    context.out.text(answer.url);
  },
});

/** Invoices. */
export const invoices = group("Invoices of web billing", [], { view, file });

/** Shows an invoice: a card with its lines as a table below, or the JSON as it came. */
export function showInvoice(context: Context, invoice: Invoice): void {
  const { out } = context;
  if (out.format === "json") return showOne(context, invoice);
  out.card(invoice, cardFields(invoice).filter(({ label }) => label !== "line_items"));
  const lines = invoice.line_items ?? [];
  out.table(lines, lineColumns, { title: `Line items (${lines.length})`, empty: "none" });
}
