/**
 * Invoices of web billing.
 *
 * @module
 */

import { route } from "../contract/route.ts";
import { findInvoice } from "../records/find.ts";
import { invoiceSchema, showInvoice } from "../records/invoices.ts";

const getInvoice = route({
  name: "getInvoice",
  summary: "Reads one invoice.",
  method: "GET",
  path: "/invoices/{id}",
  scope: "customer_information:invoices:read",
  response: invoiceSchema,
}, async (call) => showInvoice(await findInvoice(call, call.params.id)));

/** The routes of invoices. */
export const invoiceRoutes = [getInvoice];
