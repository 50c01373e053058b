/**
 * Invoices as files. The API redirects to a signed address, which needs no credential and expires
 * after an hour.
 *
 * @module
 */

import { z } from "zod";
import type { InvoiceFile } from "../../resources/invoices.ts";
import { missing } from "../contract/errors.ts";
import { route } from "../contract/route.ts";
import { findCustomer, findInvoice } from "../records/find.ts";
import { addressOf } from "../records/invoice_files.ts";

const invoiceFile: z.ZodType<InvoiceFile> = z.object({ url: z.string() });

const getInvoiceFile = route({
  name: "getInvoiceFile",
  summary: "Redirects to the PDF file of a customer's invoice. The URL is valid for one hour.",
  method: "GET",
  path: "/customers/{id}/invoices/{invoice_id}/file",
  scope: "customer_information:invoices:read",
  response: invoiceFile,
  status: 302,
  location: ({ url }) => url,
}, async (call) => {
  const customer = await findCustomer(call, call.params.id);
  const invoice = await findInvoice(call, call.params.invoice_id);
  if (invoice.customer_id !== customer.id) throw missing("invoice", invoice.id);
  return { url: await addressOf(call, invoice) };
});

/** The route of invoices as files. */
export const invoiceFileRoutes = [getInvoiceFile];
