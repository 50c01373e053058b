/**
 * The files of invoices: their addresses, which need no token, and their content.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";
import type { Clock } from "../time/clock.ts";
import { Refusal } from "../contract/errors.ts";
import type { Call } from "../contract/route.ts";
import { fromMicros } from "../domain/money.ts";
import { isPrintable, pdfOf, type PdfText } from "../domain/pdf.ts";
import { findRow, inProject, type Store } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";
import { fileKey, FILES } from "./file_key.ts";
import { keyedHash } from "./keyed_hash.ts";

/** The lifetime of an address, in milliseconds. */
const GOOD_FOR_MS = 3_600_000;

/** The address of a file. */
interface FileAddress {
  /** The project in it. */
  project_id: string;
  /** Its name. */
  file: string;
  /** Its query, with the expiry time and the signature. */
  query: URLSearchParams;
}

/**
 * A file as a response.
 *
 * @throws {Refusal} 404 for an unknown or expired address.
 */
export async function readFile(
  { store, clock }: { store: Store; clock: Clock },
  { project_id, file, query }: FileAddress,
): Promise<Response> {
  const [, id = ""] = /^([^/]+)\.pdf$/.exec(file) ?? [];
  const expires = query.get("expires") ?? "";
  const signature = query.get("signature") ?? "";
  const bytes = await store.read(async (tx) => {
    const signed = keyedHash(await fileKey(tx), `${project_id}/${id}/${expires}`);
    if (!isSame(signed, signature) || Number(expires) <= clock()) return undefined;
    const row = await findRow(inProject(tx, project_id), "invoices", id);
    return row && printInvoice(row);
  });
  if (!bytes) {
    const message = "There is no such file, or its address has expired; read the invoice again";
    throw new Refusal(404, "resource_missing", message);
  }
  const headers = {
    "Content-Type": "application/pdf",
    "Content-Disposition": `inline; filename="${id}.pdf"`,
    "Cache-Control": "no-store",
  };
  return new Response(bytes, { headers });
}

/** The address of an invoice's file, valid for an hour. */
export async function addressOf(
  { tx, url, wall }: Pick<Call, "tx" | "url" | "wall">,
  { project_id, id }: Row<"invoices">,
): Promise<string> {
  const expires = String(wall() + GOOD_FOR_MS);
  const signature = keyedHash(await fileKey(tx.whole), `${project_id}/${id}/${expires}`);
  const query = new URLSearchParams({ expires, signature });
  return `${url.origin}${FILES}${project_id}/${id}.pdf?${query}`;
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** The PDF of an invoice. */
function printInvoice(row: Row<"invoices">): Uint8Array<ArrayBuffer> {
  const { id, quantity, currency, product_identifier, product_display_name: name } = row;
  const money = (micros: number) => `${fromMicros(micros)} ${currency}`;
  const day = (at: number) => new Date(at).toISOString().slice(0, 10);
  const bought = name !== null && isPrintable(name) ? `${name} (${product_identifier})` : null;
  const facts = [
    ["Issued", day(row.issued_at)],
    ["Paid", row.paid_at === null ? "not yet" : day(row.paid_at)],
    ["Customer", row.customer_id],
    ["Product", bought ?? product_identifier],
    ["Period", row.product_duration ?? "-"],
    ["Quantity", String(quantity)],
    ["Unit price", money(row.gross_micros)],
    ["Tax included", money(row.tax_micros * quantity)],
    ["Total", money(row.gross_micros * quantity)],
  ] as const;
  const lines = facts.flatMap(([label, value], i): PdfText[] => [
    { text: label, x: 72, y: 140 + 22 * i, size: 11 },
    { text: value, x: 180, y: 140 + 22 * i, size: 11 },
  ]);
  const title = `Invoice ${id}`;
  return pdfOf(title, [{ text: title, x: 72, y: 90, size: 20 }, ...lines]);
}
