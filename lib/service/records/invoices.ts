/**
 * Invoices in the API.
 *
 * @module
 */

import { z } from "zod";
import type { Invoice } from "../../resources/invoices.ts";
import { amountSchema } from "../contract/money_fields.ts";
import { component, millis } from "../contract/schemas.ts";
import { showAmount } from "../domain/money.ts";
import type { Row } from "../store/tables.ts";

/** An invoice in an answer. */
export const invoiceSchema: z.ZodType<Invoice> = component(
  "Invoice",
  z.object({
    object: z.literal("invoice"),
    id: z.string(),
    customer_id: z.string(),
    total_amount: amountSchema,
    line_items: z.array(z.object({
      object: z.literal("invoice.line_item"),
      product_identifier: z.string(),
      product_display_name: z.string().nullable(),
      product_duration: z.string().nullable(),
      quantity: z.int().min(1),
      unit_amount: amountSchema,
    })),
    issued_at: millis,
    paid_at: millis.nullable(),
    invoice_url: z.string().nullable(),
  }),
);

/** An invoice in the API. */
export function showInvoice(row: Row<"invoices">): Invoice {
  const { quantity } = row;
  const unit = { gross: row.gross_micros, commission: row.commission_micros, tax: row.tax_micros };
  const total = {
    gross: unit.gross * quantity,
    commission: unit.commission * quantity,
    tax: unit.tax * quantity,
  };
  return {
    object: "invoice",
    id: row.id,
    customer_id: row.customer_id,
    total_amount: showAmount(row.currency, total),
    line_items: [{
      object: "invoice.line_item",
      product_identifier: row.product_identifier,
      product_display_name: row.product_display_name,
      product_duration: row.product_duration,
      quantity,
      unit_amount: showAmount(row.currency, unit),
    }],
    issued_at: row.issued_at,
    paid_at: row.paid_at,
    // Gap: the address of the file expires after an hour, so it has its own operation.
    invoice_url: null,
  };
}
