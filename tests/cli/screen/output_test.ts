import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { fc } from "../../support/properties.ts";
import stringWidth from "string-width";
import { visible } from "../../../lib/cli/screen/display.ts";
import {
  type Canvas,
  type Cell,
  type Column,
  type Field,
  type Kind,
} from "../../../lib/cli/screen/output.ts";
import { anyText } from "../../support/any_text.ts";
import { screen } from "../../support/output_fixture.ts";

interface Offering {
  readonly id: string;
  readonly key: string;
  readonly name: string | null;
  readonly current?: boolean;
  readonly packages: number;
  readonly at: number | null;
}

const columns: readonly Column<Offering>[] = [
  { header: "id", value: (offering) => offering.id, kind: "id" },
  { header: "Lookup key", value: (offering) => offering.key },
  { header: "Display name", value: (offering) => offering.name },
  { header: "Current", value: (offering) => offering.current },
  { header: "Packages", value: (offering) => offering.packages },
  { header: "Created", value: (offering) => offering.at, kind: "date" },
];

const fields: readonly Field<Offering>[] = columns.map(({ header, value, kind }) => ({
  label: header,
  value,
  kind,
}));

const offerings: readonly Offering[] = [
  {
    id: "ofrng1a2b3c4d5e",
    key: "default",
    name: "Everyone who is in no experiment",
    current: true,
    packages: 3,
    at: Date.UTC(2024, 7, 1, 23, 59, 59),
  },
  { id: "ofrngffa2b3c4d5", key: "夏のセール", name: "家族 👨‍👩‍👧‍👦 プラン", packages: 12, at: null },
];

/** The lines that a table of the offerings has. */
function tableOf(rows: readonly Offering[], room?: number): string[] {
  const { output, out } = screen(room);
  output.table(rows, columns);
  strictEqual(out.length, 1, "a table is one write");
  return (out[0] ?? "").split("\n");
}

/** The lines that a card of one offering has. */
function cardOf(offering: Offering, room?: number): string[] {
  const { output, out } = screen(room);
  output.card(offering, fields);
  strictEqual(out.length, 1, "a card is one write");
  return (out[0] ?? "").split("\n");
}

Deno.test("a table in a pipe shows every cell whole", () => {
  deepStrictEqual(tableOf(offerings), [
    "ID               LOOKUP KEY  DISPLAY NAME                      CURRENT  PACKAGES  CREATED",
    "ofrng1a2b3c4d5e  default     Everyone who is in no experiment  yes             3  2024-08-01",
    "ofrngffa2b3c4d5  夏のセール  家族 👨‍👩‍👧‍👦 プラン                    -              12  -",
    "",
  ]);
});

Deno.test("a table in a terminal cuts texts and headers, but no id", () => {
  deepStrictEqual(tableOf(offerings, 80), [
    "ID               LOOKUP KEY  DISPLAY NAME          CURRENT  PACKAGES  CREATED",
    "ofrng1a2b3c4d5e  default     Everyone who is in…   yes             3  2024-08-01",
    "ofrngffa2b3c4d5  夏のセール  家族 👨‍👩‍👧‍👦 プラン        -              12  -",
    "",
  ]);
  deepStrictEqual(tableOf(offerings, 60), [
    "ID               LOOKUP…  DISPL…  CURRE…  PACKA…  CREATED",
    "ofrng1a2b3c4d5e  default  Every…  yes          3  2024-08-01",
    "ofrngffa2b3c4d5  夏のセ…  家族…   -           12  -",
    "",
  ]);
  deepStrictEqual(tableOf(offerings, 200), tableOf(offerings));
});

Deno.test("a picture is drawn for its terminal, and for a pipe only on request", () => {
  const draw = ({ columns, color }: Canvas) => columns < 10 ? [] : [`${columns} ${color}`];
  for (
    const [columns, options, expected] of [
      [60, {}, ["60 true\n"]],
      [undefined, {}, []],
      [undefined, { always: true }, ["80 true\n"]],
      [9, {}, []],
    ] as const
  ) {
    const { output, out } = screen(columns, true);
    output.picture(draw, options);
    deepStrictEqual(out, expected);
  }
});

Deno.test("a terminal that reports 0 columns cuts nothing", () => {
  deepStrictEqual(tableOf(offerings, 0), tableOf(offerings));
});

Deno.test("a table in a very narrow terminal shows its first column, and those that fit", () => {
  const narrow = ["ID               PA…", "ofrng1a2b3c4d5e    3", "ofrngffa2b3c4d5   12", ""];
  deepStrictEqual(tableOf(offerings, 20), narrow);
  deepStrictEqual(tableOf(offerings, 8), ["ID", "ofrng1a…", "ofrngff…", ""]);
});

Deno.test("an id of 1,500 characters leaves room for other columns, and a card shows all of it", () => {
  const id = "$anonymous:id:".padEnd(1500, "0123456789");
  const [long] = offerings.map((offering) => ({ ...offering, id }));
  ok(long);
  deepStrictEqual(tableOf([long], 80).slice(1), [
    "$anonymous:id:012…  default     Everyone who is…   yes             3  2024-08-01",
    "",
  ]);
  ok(tableOf([long])[1]?.startsWith(`${id}  default`));
  for (const room of [20, 60, 80, 200]) {
    ok(cardOf(long, room).every((line) => stringWidth(line) <= room));
    ok(cardOf(long, room).map((line) => line.trim()).join("").includes(id));
  }
  ok(cardOf(long).includes(`id            ${id}`));
});

Deno.test("numbers are aligned on the right, declared or detected", () => {
  const { output, out } = screen();
  output.table([{ a: 5, b: "9.99" }, { a: null, b: "109.00" }], [
    { header: "Found", value: (row) => row.a },
    { header: "Told", value: (row) => row.b, kind: "number" },
    { header: "Mixed", value: (row) => row.a ?? "none" },
  ]);
  deepStrictEqual(out, ["FOUND    TOLD  MIXED\n    5    9.99  5\n    -  109.00  none\n"]);
});

Deno.test("missing values, booleans and times have one spelling", () => {
  const cells: [Cell, Kind | undefined, string][] = [
    [null, undefined, "-"],
    [undefined, "date", "-"],
    ["", "id", "-"],
    [true, undefined, "yes"],
    [false, undefined, "no"],
    [0, undefined, "0"],
    [0, "date", "1970-01-01"],
    [1722556799999, "time", "2024-08-01 23:59:59Z"],
    ["2024-08-01", "date", "2024-08-01"],
    [8.64e15 + 1, "date", "8640000000000001"],
    [1e21, undefined, "1e+21"],
  ];
  for (const [cell, kind, expected] of cells) {
    const { output, out } = screen();
    output.card(cell, [{ label: "v", value: (value) => value, kind }]);
    deepStrictEqual(out, [`v  ${expected}\n`]);
  }
});

Deno.test("control bytes in data, headers and labels are escaped", () => {
  const evil = "\u001b]0;x\u0007 \u009b31m\r\n\t\u007f\u202e\u2028\ud800";
  const shown = String.raw`\u001b]0;x\u0007 \u009b31m\r\n\t\u007f\u202e\u2028\ud800`;
  strictEqual(visible(evil), shown);
  const { output, out, err } = screen();
  output.table([0], [{ header: "h\u001b", value: () => evil, kind: "id" }]);
  output.card(0, [{ label: "l\u0007", value: () => evil }], { title: "t\n" });
  output.note(evil);
  output.warn(evil);
  output.done(evil);
  deepStrictEqual(out, [
    String.raw`H\u001b` + `\n${shown}\n`,
    String.raw`${"\n"}t\n` + "\n" + String.raw`l\u0007  ${shown}` + "\n",
  ]);
  deepStrictEqual(err, [`${shown}\n`, `Warning: ${shown}\n`, `${shown}\n`]);
});

Deno.test("an empty table writes nothing but a note", () => {
  const { output, out, err } = screen(80);
  output.table([], columns);
  output.table([], columns, { empty: "No offerings yet." });
  deepStrictEqual(out, []);
  deepStrictEqual(err, ["Nothing to show.\n", "No offerings yet.\n"]);
});

Deno.test("a card continues long values under themselves and loses nothing", () => {
  const [offering] = offerings;
  ok(offering);
  const name = "Everyone who is in no experiment, on any platform, in any country of the world";
  deepStrictEqual(cardOf({ ...offering, name }, 60), [
    "id            ofrng1a2b3c4d5e",
    "Lookup key    default",
    "Display name  Everyone who is in no experiment, on any",
    "              platform, in any country of the world",
    "Current       yes",
    "Packages      3",
    "Created       2024-08-01",
    "",
  ]);
  deepStrictEqual(cardOf({ ...offering, name: "Everyone in no experiment" }, 20).slice(0, 7), [
    "id  ofrng1a2b3c4d5e",
    "Lookup key",
    "    default",
    "Display name",
    "    Everyone in no",
    "    experiment",
    "Current",
  ]);
  ok(cardOf({ ...offering, name }).includes(`Display name  ${name}`));
});

Deno.test("later tables and cards follow an empty line", () => {
  const { output, out } = screen();
  output.card(1, [{ label: "a", value: (n) => n }], { title: "One" });
  output.card(1, [], { title: "Two" });
  output.table([1], [{ header: "a", value: (n) => n }]);
  strictEqual(out.join(""), "One\na  1\n\nTwo\n\nA\n1\n");
});

Deno.test("colours appear only where the terminal supports them, and change no text", () => {
  const plain = screen(80);
  const colored = screen(80, true);
  for (const { output } of [plain, colored]) {
    output.table([1], [{ header: "a", value: (n) => n }]);
    output.card(1, [{ label: "a", value: (n) => n }], { title: "One" });
    output.note("n");
    output.warn("w");
    output.done("d");
    output.text("t");
  }
  strictEqual(
    colored.out.join(""),
    "\x1b[1mA\x1b[22m\n1\n\n\x1b[1mOne\x1b[22m\n\x1b[2ma\x1b[22m  1\nt\n",
  );
  strictEqual(
    colored.err.join(""),
    "\x1b[2mn\x1b[22m\n\x1b[33mWarning:\x1b[39m w\n\x1b[32m✓\x1b[39m d\n",
  );
  strictEqual(plain.out.join(""), "A\n1\n\nOne\na  1\nt\n");
  strictEqual(plain.err.join(""), "n\nWarning: w\nd\n");
});

Deno.test("in JSON format, standard output accepts JSON and no table", () => {
  const { output, out, err } = screen(80, false, "json");
  output.json('{"n":9007199254740993}');
  output.note("stopped early");
  throws(() => output.table([1], [{ header: "a", value: (n) => n }]), TypeError);
  throws(() => output.table([], []), TypeError);
  throws(() => output.card(1, []), TypeError);
  deepStrictEqual(out, ['{\n  "n": 9007199254740993\n}\n']);
  deepStrictEqual(err, ["stopped early\n"]);
});

const anyCell = fc.oneof(anyText, fc.double(), fc.boolean(), fc.constant(null));
const anyKind = fc.constantFrom<Kind[]>("text", "date", "time", "id", "number");

/** Checks one write: whole lines, none too wide, no space at the end, nothing unsafe. */
function checkLines(written: string, room: number): void {
  ok(written.endsWith("\n"));
  ok(written.isWellFormed());
  for (const line of written.slice(0, -1).split("\n")) {
    ok(stringWidth(line) <= room, JSON.stringify(line));
    ok(!/ $|[\p{Cc}\u2028\u202e]/u.test(line), JSON.stringify(line));
  }
}

Deno.test("no line of any table or card is wider than its terminal", () => {
  const anyColumns = fc.array(fc.tuple(anyText, anyKind), { minLength: 1, maxLength: 7 });
  const anyRows = fc.array(fc.array(anyCell, { minLength: 7, maxLength: 7 }), { minLength: 1 });
  fc.assert(
    fc.property(anyColumns, anyRows, fc.integer({ min: 8, max: 200 }), (heads, rows, room) => {
      const { output, out } = screen(room);
      const shown = heads.map(([header, kind], i) => ({
        header,
        label: header,
        kind,
        value: (row: readonly Cell[]) => row[i],
      }));
      output.table(rows, shown);
      strictEqual(out[0]?.split("\n").length, rows.length + 2);
      checkLines(out[0] ?? "", room);
      const fields = shown.map((one, i) => ({ ...one, value: () => rows[0]?.[i] }));
      output.card(0, fields, { title: "T" });
      checkLines(out[1] ?? "", room);
    }),
    { numRuns: 300 },
  );
});

Deno.test("a mark that joins the space before it makes no line of a card too wide", () => {
  const { output, out } = screen(8);
  output.card(0, [{ label: "a", value: () => "a 🏽ﾞaשלום" }]);
  deepStrictEqual(out, ["a\n  a\n  🏽ﾞaשל\n  ום\n"]);
  checkLines(out[0] ?? "", 8);
});

Deno.test("on a terminal notes break between words, but not inside copyable text", () => {
  const { output, err } = screen(40);
  const id = "sub0123456789abcdef0123456789abcdef";
  output.warn(
    `Access to pro remains until 2026-02-28 through notes.pro.monthly (app_store, ${id})`,
  );
  output.done("Granted pro to somebody with a long name");
  output.error(
    "Cannot reach http://127.0.0.1:4777: the connection was refused",
    "Start the local service with: cli service start --port 4777 --data /tmp/somewhere/else; " +
      "its data folder must be the same",
  );
  output.note("More items follow: continue with --starting-after sub1a2b3c4d5e");
  output.note("Sign in with: cli auth login, then cli init --profile default");
  deepStrictEqual(err.join("").split("\n"), [
    "Warning: Access to pro remains until",
    "2026-02-28 through notes.pro.monthly",
    `(app_store, ${id})`.split(" ")[0],
    `${id})`,
    "Granted pro to somebody with a long",
    "name",
    "Cannot reach http://127.0.0.1:4777: the",
    "connection was refused",
    "Start the local service with:",
    "cli service start --port 4777 --data /tmp/somewhere/else;",
    "its data folder must be the same",
    "More items follow: continue with",
    "--starting-after sub1a2b3c4d5e",
    "Sign in with: cli auth login, then",
    "cli init --profile default",
    "",
  ]);
  const piped = screen();
  piped.output.warn("word ".repeat(100).trim());
  strictEqual(piped.err.join("").split("\n").length, 2);
});

Deno.test("notes lose nothing and break nothing, however narrow the terminal", () => {
  fc.assert(fc.property(anyText, fc.integer({ min: 1, max: 60 }), (text, columns) => {
    const { output, err } = screen(columns);
    output.note(text);
    const words = (one: string) => one.split(/\s+/).filter(Boolean);
    deepStrictEqual(words(err.join("")), words(visible(text)));
  }));
});
