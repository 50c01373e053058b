import { deepEqual, equal, match, ok } from "node:assert/strict";
import { isPrintable, pdfOf } from "../../../lib/service/domain/pdf.ts";

/** The file as text, a character for each byte. */
function textOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}

/** The objects that the table at the end of a file lists, by number. */
function objectsIn(file: string): Map<number, string> {
  const at = Number(/\nstartxref\n(\d+)\n%%EOF\n$/.exec(file)?.[1]);
  const table = file.slice(at);
  match(table, /^xref\n0 \d+\n0000000000 65535 f \n/);
  const places = [...table.matchAll(/^(\d{10}) 00000 n $/gm)].map(([, place]) => Number(place));
  equal(Number(/^xref\n0 (\d+)\n/.exec(table)?.[1]), places.length + 1);
  equal(Number(/\/Size (\d+)/.exec(table)?.[1]), places.length + 1);
  return new Map(places.map((place, i) => {
    const [, number, body = ""] = /^(\d+) 0 obj\n([^]*?)\nendobj\n/.exec(file.slice(place)) ?? [];
    equal(Number(number), i + 1);
    return [i + 1, body];
  }));
}

Deno.test("a reader finds every part of a PDF from its end", () => {
  const file = textOf(pdfOf("Invoice 7", [
    { text: "Größe (in m)", x: 72, y: 90, size: 20 },
    { text: "a \\ b", x: 72, y: 140, size: 11 },
  ]));
  match(file, /^%PDF-1\.4\n/);
  const objects = objectsIn(file);
  const follow = (from: string, key: string) => {
    const number = Number(new RegExp(`/${key} \\[?(\\d+) 0 R`).exec(from)?.[1]);
    return objects.get(number) ?? "";
  };
  const trailer = file.slice(file.lastIndexOf("trailer"));
  equal(follow(trailer, "Info"), "<< /Title (Invoice 7) >>");
  const catalog = follow(trailer, "Root");
  match(catalog, /\/Type \/Catalog/);
  const pages = follow(catalog, "Pages");
  match(pages, /\/Type \/Pages .*\/Count 1 /);
  const page = follow(pages, "Kids");
  match(page, /\/Type \/Page .*\/MediaBox \[0 0 595 842\]/);
  equal(follow(page, "Parent"), pages);
  match(follow(page, "F1"), /\/BaseFont \/Helvetica \/Encoding \/WinAnsiEncoding/);
  const [, length, stream = ""] =
    /^<< \/Length (\d+) >>\nstream\n([^]*)\nendstream$/.exec(follow(page, "Contents")) ?? [];
  equal(Number(length), stream.length);
  deepEqual(stream.split("\n"), [
    "BT /F1 20 Tf 72 752 Td (Größe \\(in m\\)) Tj ET",
    "BT /F1 11 Tf 72 702 Td (a \\\\ b) Tj ET",
  ]);
});

Deno.test("a character that the font lacks is a question mark in a PDF", () => {
  const file = textOf(pdfOf("日", [{ text: "a日b🎉", x: 1, y: 2, size: 3 }]));
  ok(file.includes("(a?b?)") && file.includes("/Title (?)"));
  deepEqual(["a", "ÿ", "Ā", "日", "\n"].map(isPrintable), [true, true, false, false, false]);
});
