/**
 * A page of text as a PDF file. It knows one font, Helvetica, which every reader of PDF has, and the
 * characters of Western Europe.
 *
 * @module
 */

/** A piece of text on the page. */
export interface PdfText {
  /** The text. */
  text: string;
  /** How far from the left edge it begins, in points; A4 is 595 wide. */
  x: number;
  /** How far from the top edge its line is, in points; A4 is 842 high. */
  y: number;
  /** The size of the font, in points. */
  size: number;
}

const WIDTH = 595;
const HEIGHT = 842;

/** Whether the font has all characters of a text. */
export function isPrintable(text: string): boolean {
  return /^[\x20-\x7e\xa0-\xff]*$/.test(text);
}

/** Makes a file of one page. */
export function pdfOf(title: string, texts: readonly PdfText[]): Uint8Array<ArrayBuffer> {
  const drawing = texts.map(({ text, x, y, size }) =>
    `BT /F1 ${size} Tf ${x} ${HEIGHT - y} Td (${literal(text)}) Tj ET`
  ).join("\n");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${WIDTH} ${HEIGHT}] /Contents 5 0 R ` +
    "/Resources << /Font << /F1 4 0 R >> >> >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    `<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`,
    `<< /Title (${literal(title)}) >>`,
  ];
  let file = "%PDF-1.4\n";
  const places: number[] = [];
  for (const [i, object] of objects.entries()) {
    places.push(file.length);
    file += `${i + 1} 0 obj\n${object}\nendobj\n`;
  }
  const table = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R /Info 6 0 R >>\nstartxref\n${file.length}`;
  file += `xref\n0 ${size}\n0000000000 65535 f \n${table}${trailer}\n%%EOF\n`;
  // One byte for each character: there are none above 255 in it.
  return Uint8Array.from(file, (character) => character.charCodeAt(0));
}

/** A text within parentheses. What the font does not have becomes a question mark. */
function literal(text: string): string {
  return text.replace(/[^\x20-\x7e\xa0-\xff]/gu, "?").replace(/[\\()]/g, "\\$&");
}
