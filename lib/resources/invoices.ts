/**
 * Invoices of web billing.
 *
 * @example Read an invoice
 * ```ts ignore
 * import { connect, getInvoice } from "../../mod.ts";
 *
 * const client = await connect();
 * const { total_amount } = await getInvoice(client, "svcbin1a2b3c4d5e");
 * ```
 *
 * @module
 */

import type { Client } from "../client.ts";
import { path } from "../path.ts";
import type { MonetaryAmount } from "./money.ts";

/** An invoice. */
export interface Invoice {
  /** Always `invoice`. */
  object: "invoice";
  /** Generated id, `svcbin…`. */
  id: string;
  /** The customer's id. */
  customer_id: string;
  /** The total. */
  total_amount: MonetaryAmount;
  /** The lines of the invoice. */
  line_items: InvoiceLineItem[];
  /** When it was issued, in milliseconds since 1970. */
  issued_at: number;
  /** When it was paid, in milliseconds since 1970; null if unpaid. */
  paid_at: number | null;
  /** The download address, or null. */
  invoice_url: string | null;
}

/** The address of an invoice's file. */
export interface InvoiceFile {
  /** The address. It needs no credential and may expire soon. */
  url: string;
}

/** One line of an invoice. */
export interface InvoiceLineItem {
  /** Always `invoice.line_item`. */
  object: "invoice.line_item";
  /** The store's product identifier. */
  product_identifier: string;
  /** The product's display name, or null. */
  product_display_name: string | null;
  /** The length of the period, ISO 8601, or null. */
  product_duration: string | null;
  /** The quantity. */
  quantity: number;
  /** The unit price. */
  unit_amount: MonetaryAmount;
}

/** Reads one invoice. `GET /invoices/{id}` */
export function getInvoice(client: Client, id: string): Promise<Invoice> {
  return client.get(path`/invoices/${id}`);
}

/**
 * Reads the download address of a customer's invoice, a PDF.
 * `GET /customers/{id}/invoices/{id}/file`
 */
export function getInvoiceFile(
  client: Client,
  customerId: string,
  id: string,
): Promise<InvoiceFile> {
  return client.get(path`/customers/${customerId}/invoices/${id}/file`, { redirect: true });
}
