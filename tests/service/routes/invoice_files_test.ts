import { deepEqual, equal, match, ok } from "node:assert/strict";
import { listCustomerInvoices } from "../../../lib/resources/customers.ts";
import { getInvoiceFile } from "../../../lib/resources/invoices.ts";
import { pdfOf } from "../../../lib/service/domain/pdf.ts";
import { frozen } from "../../support/activities.ts";
import { apiOf, noSuch } from "../../support/api.ts";
import { BASE_URL, type Desk, openDesk } from "../../support/harness.ts";

const HOUR = 3_600_000;

/** Makes a purchase with an invoice. Returns the invoice's id. */
async function invoiced(desk: Desk): Promise<string> {
  const sim = await frozen(desk);
  await sim.subscribe({
    product_id: "notes_web_monthly",
    price: 10,
    currency: "EUR",
    country: "DE",
  });
  const { items: [invoice] } = await listCustomerInvoices(desk.client, "ada");
  return invoice?.id ?? "";
}

/** Downloads an address without any credential. */
function download(desk: Desk, url: string, method = "GET"): Promise<Response> {
  return Promise.resolve(desk.service.fetch(new Request(url, { method })));
}

Deno.test("an invoice's file is found by its redirect, and is a PDF of the invoice", async () => {
  await using desk = await openDesk();
  const id = await invoiced(desk);
  const path = `/v2/projects/${desk.projectId}/customers/ada/invoices/${id}/file`;
  const answer = await desk.send("GET", path);
  equal(answer.status, 302);
  const location = answer.headers.get("Location") ?? "";
  ok(location.startsWith(`${BASE_URL}/files/${desk.projectId}/${id}.pdf?`), location);
  deepEqual(await answer.json(), { url: location });
  const { url } = await getInvoiceFile(desk.client, "ada", id);
  const file = await download(desk, url);
  equal(file.headers.get("Content-Type"), "application/pdf");
  const text = await file.text();
  match(text, /^%PDF-1\.4\n/);
  for (const part of [`Invoice ${id}`, "notes_web_monthly", "10 EUR", "1.597 EUR", "ada"]) {
    ok(text.includes(part), part);
  }
  // Each fact has a line of its own, on the page, with its value beside its name.
  const places = [...text.matchAll(/ Tf (\d+) ([\d.]+) Td/g)].map((
    [, x, y],
  ) => [Number(x), Number(y)]);
  const [[, titleY = 0] = [], ...facts] = places;
  const names = facts.filter((_, i) => i % 2 === 0);
  const values = facts.filter((_, i) => i % 2 === 1);
  equal(names.length, 9);
  let above = titleY - 20;
  for (const [i, [x = 0, y = 0]] of names.entries()) {
    ok(y <= above - 12 && y > 40, `line ${i} at ${y}, below ${above}`);
    deepEqual([values[i]?.[1], (values[i]?.[0] ?? 0) > x + 60], [y, true]);
    above = y;
  }
  const printed = await desk.run("invoices", "file", "ada", id);
  equal(printed.code, 0, printed.err);
  equal((await download(desk, printed.out.trim())).status, 200);
  // The log of requests does not let its reader do the same.
  desk.env.CLI_DEBUG = "http";
  const { out, err } = await desk.run("invoices", "file", "ada", id);
  const signature = new URL(out.trim()).searchParams.get("signature") ?? "";
  deepEqual([signature.length > 20, err.includes(signature)], [true, false]);
});

Deno.test("an invoice of several units has the price of one, and tax and total of all", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const sim = await frozen(desk);
  const { items } = await api.get("/apps");
  const web = items.find(({ type }) => type === "svc_billing");
  const product = { app_id: web?.id, type: "consumable", store_identifier: "coins" };
  await api.post("/products", product);
  const sale = { price: 10, quantity: 3, currency: "EUR", country: "DE" };
  await sim.purchase({ product_id: "coins", ...sale });
  const { items: [invoice] } = await listCustomerInvoices(desk.client, "ada");
  const { url } = await getInvoiceFile(desk.client, "ada", invoice?.id ?? "");
  const text = await (await download(desk, url)).text();
  const shown = [...text.matchAll(/\(([^()]*)\) Tj/g)].map(([, one]) => one).slice(1);
  const facts = Object.fromEntries(
    Array.from({ length: shown.length / 2 }, (_, i) => shown.slice(2 * i, 2 * i + 2)),
  );
  deepEqual(["Quantity", "Unit price", "Tax included", "Total"].map((name) => facts[name]), [
    "3",
    "10 EUR",
    "4.791 EUR",
    "30 EUR",
  ]);
});

Deno.test("a file's address is valid for an hour, and for this file only", async () => {
  let wall = Date.UTC(2026, 0, 31);
  await using desk = await openDesk({ clock: () => wall });
  const id = await invoiced(desk);
  const { url } = await getInvoiceFile(desk.client, "ada", id);
  const other = new URL(url);
  other.searchParams.set("expires", String(wall + 2 * HOUR));
  const refused = [
    String(other),
    url.replace(id, "svcbin0000000000000000"),
    url.replace("signature=", "signature=x"),
    url.replace(/\?.*$/, ""),
    `${BASE_URL}/files/`,
  ];
  for (const address of refused) equal((await download(desk, address)).status, 404, address);
  equal((await download(desk, url, "HEAD")).status, 200);
  equal((await download(desk, url, "POST")).status, 405);
  wall += HOUR - 1;
  equal((await download(desk, url)).status, 200);
  wall += 1;
  equal((await download(desk, url)).status, 404);
});

Deno.test("only files of the customer's own invoices are found", async () => {
  await using desk = await openDesk();
  const id = await invoiced(desk);
  const api = apiOf(desk);
  await api.refused(noSuch(), "GET", `/customers/grace/invoices/${id}/file`);
  await api.refused(noSuch(), "GET", "/customers/ada/invoices/svcbin00/file");
  await api.refused(noSuch(), "GET", `/customers/nobody/invoices/${id}/file`);
});

Deno.test("a PDF's table has the offset of each object, with any texts", async () => {
  const text = "a (b) \\ ü € 日本";
  const file = pdfOf("Title", [{ text, x: 1, y: 1, size: 9 }]);
  const content = [...file].map((byte) => String.fromCharCode(byte)).join("");
  ok(content.includes("(a \\(b\\) \\\\ ü ? ??) Tj"), content);
  const at = Number(/startxref\n(\d+)/.exec(content)?.[1]);
  ok(content.slice(at).startsWith("xref\n0 7\n"));
  const places = [...content.slice(at).matchAll(/^(\d{10}) 00000 n $/gm)].map(([, n]) => Number(n));
  equal(places.length, 6);
  for (const [i, place] of places.entries()) {
    ok(content.slice(place).startsWith(`${i + 1} 0 obj\n`), String(i));
  }
  const [, length, stream = ""] = /Length (\d+) >>\nstream\n([^]*?)\nendstream/.exec(content) ?? [];
  equal(Number(length), stream.length);
});
