import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { fc } from "../../support/properties.ts";
import type { Column, Kind } from "../../../lib/cli/screen/output.ts";
import { type Screen, screen } from "../../support/output_fixture.ts";

/** The lines of a table, then each note as one line, however it was broken. */
function linesOn({ out, err }: Screen): string[] {
  const notes = err.map((note) => note.replaceAll(/\n(?=.)/g, " "));
  return [...out.join("").trimEnd().split("\n"), ...notes];
}

Deno.test("texts at their shortest are left out, the last first, with a note", () => {
  const row = { id: "sub1a2b3c4d5", at: 1722556799999, name: "Monthly", note: "anything", n: 1234 };
  const shownAt = (room: number) => {
    const at = screen(room);
    at.output.table([row], [
      { header: "id", value: ({ id }) => id, kind: "id" },
      { header: "name", value: ({ name }) => name },
      { header: "note", value: ({ note }) => note },
      { header: "created", value: ({ at }) => at, kind: "date" },
      { header: "renewals", value: ({ n }) => n },
    ]);
    return linesOn(at);
  };
  deepStrictEqual(shownAt(46), [
    "ID            NAME    NOTE    CREATED     REN…",
    "sub1a2b3c4d5  Month…  anyth…  2024-08-01  1234",
  ]);
  deepStrictEqual(shownAt(45), [
    "ID            NAME     CREATED     RENEWALS",
    "sub1a2b3c4d5  Monthly  2024-08-01      1234",
    "Columns that do not fit: NOTE\n",
  ]);
  deepStrictEqual(shownAt(30), [
    "ID            CREATED     REN…",
    "sub1a2b3c4d5  2024-08-01  1234",
    "Columns that do not fit: NAME, NOTE\n",
  ]);
  // 23 columns have no room for the date, and cut it is another one.
  deepStrictEqual(shownAt(23).slice(0, 2), ["ID            RENEWALS", "sub1a2b3c4d5      1234"]);
});

Deno.test("prose in the last column continues below, without loss", () => {
  const rows = [
    { type: "RENEWAL", meaning: "A subscription renewed, or a lapsed customer came back" },
    { type: "TEST", meaning: "Events arrive" },
  ];
  const shownAt = (room?: number) => {
    const { output, out } = screen(room);
    output.table(rows, [
      { header: "type", value: ({ type }) => type, kind: "id" },
      { header: "meaning", value: ({ meaning }) => meaning, kind: "prose" },
    ]);
    return out.join("").trimEnd().split("\n");
  };
  deepStrictEqual(shownAt(40), [
    "TYPE     MEANING",
    "RENEWAL  A subscription renewed, or a",
    "         lapsed customer came back",
    "TEST     Events arrive",
  ]);
  deepStrictEqual(shownAt(25).slice(0, 3), [
    "TYPE     MEANING",
    "RENEWAL  A subscription",
    "         renewed, or a",
  ]);
  deepStrictEqual(shownAt(24)[0], "TYPE");
  deepStrictEqual(shownAt()[1], `RENEWAL  ${rows[0]?.meaning}`);
});

Deno.test("texts are left out before a word is cut, and an address before it vanishes", () => {
  const id = "00000016-0000-0000-0000-000000000017";
  const rows = [{
    id,
    type: "INITIAL_PURCHASE",
    at: 0,
    url: "https://acme.dev/hooks/subscriptions",
  }];
  const shownAt = (room: number, kind: "text" | "address") => {
    const { output, out, err } = screen(room);
    output.table(rows, [
      { header: "id", value: (row) => row.id, kind: "id" },
      { header: "type", value: (row) => row.type, kind: "word" },
      { header: "when", value: (row) => row.at, kind: "minute" },
      { header: "where", value: (row) => row.url, kind },
      { header: "+4 (%)", value: () => null, kind: "number", spare: true },
    ]);
    return [out.join("").trimEnd().split("\n").at(-1), err.join("")];
  };
  const whole = `${id}  INITIAL_PURCHASE  1970-01-01 00:00Z`;
  const cut = "Columns that do not fit: +4 (%)\n";
  deepStrictEqual(shownAt(81, "text"), [`${whole}  https…`, cut]);
  deepStrictEqual(shownAt(80, "text"), [whole, "Columns that do not fit: WHERE, +4 (%)\n"]);
  deepStrictEqual(shownAt(96, "address"), [whole, "Columns that do not fit: WHERE, +4 (%)\n"]);
  deepStrictEqual(shownAt(97, "address"), [`${whole}  https://acme.dev/hook…`, cut]);
  // Without further text to cut, it is cut after all.
  deepStrictEqual(shownAt(71, "text")[0], `${id}  INITIAL_PURCH…  1970-01-01 00:00Z`);
});

Deno.test("headers of numbers are cut, numbers never", () => {
  const shownAt = (room: number) => {
    const { output, out } = screen(room);
    output.table([{ day: 0, rate: "33.33", all: 1234567 }], [
      { header: "day", value: (row) => row.day, kind: "date" },
      { header: "conversion rate", value: (row) => row.rate, kind: "number" },
      { header: "all", value: (row) => row.all },
    ]);
    return out.join("");
  };
  strictEqual(shownAt(26), "DAY         CONV…      ALL\n1970-01-01  33.33  1234567\n");
  strictEqual(shownAt(22), "DAY         CONVERSIO…\n1970-01-01       33.33\n");
  strictEqual(shownAt(9), "DAY\n…\n");
});

Deno.test("a cell of 1,500 characters does not widen a whole table in a pipe", () => {
  const { output, out } = screen();
  const long = "x".repeat(1500);
  output.table([["ada", 1], [long, 20]] as const, [
    { header: "id", value: ([id]) => id, kind: "id" },
    { header: "n", value: ([, n]) => n },
  ]);
  deepStrictEqual(out, [`ID    N\nada   1\n${long}  20\n`]);
});

Deno.test("no number, date or time of any table is ever cut", () => {
  const whole = fc.constantFrom<Kind[]>("date", "time", "number");
  const kinds = fc.array(fc.oneof(fc.constantFrom<Kind[]>("text", "id"), whole), {
    minLength: 1,
    maxLength: 7,
  });
  const values = fc.array(fc.integer({ min: 0, max: 9e15 }), { minLength: 7, maxLength: 7 });
  fc.assert(
    fc.property(kinds, values, fc.integer({ min: 8, max: 120 }), (kinds, row, room) => {
      const columnOf = (kind: Kind, i: number): Column<number[]> => ({
        header: `column ${i}`,
        kind,
        value: (values) => kind === "text" || kind === "id" ? `t${values[i]}` : values[i],
      });
      const pipe = screen();
      const terminal = screen(room);
      pipe.output.table([row], kinds.map(columnOf));
      terminal.output.table([row], kinds.map(columnOf));
      const [all, shown] = [pipe, terminal].map(({ out }) =>
        (out.join("").split("\n")[1] ?? "").trim().split(/ {2,}/)
      );
      for (const cell of shown ?? []) {
        ok(all?.includes(cell) || /^t\d*…$|^…$/.test(cell), JSON.stringify([cell, all]));
      }
    }),
    { numRuns: 300 },
  );
});

Deno.test("an optional column is left out before any other is cut, and only if necessary", () => {
  const rows = [{ key: "spring", name: "Spring sale", at: "2026-01-31", by: "me" }];
  const spared: Column<typeof rows[number]>[] = [
    { header: "key", value: (row) => row.key, kind: "id" },
    { header: "name", value: (row) => row.name },
    { header: "gone", value: () => null, spare: true },
    { header: "at", value: (row) => row.at, spare: true },
    { header: "by", value: (row) => row.by, spare: true },
  ];
  const linesAt = (width?: number) => {
    const at = screen(width);
    at.output.table(rows, spared);
    return linesOn(at);
  };
  deepStrictEqual(linesAt(), [
    "KEY     NAME         GONE  AT          BY",
    "spring  Spring sale  -     2026-01-31  me",
  ]);
  deepStrictEqual(linesAt(41), linesAt());
  deepStrictEqual(linesAt(40).slice(1), [
    "spring  Spring sale  -     2026-01-31",
    "Columns that do not fit: BY\n",
  ]);
  const without = "Columns that do not fit: AT, BY\n";
  deepStrictEqual(linesAt(30).slice(1), ["spring  Spring sale  -", without]);
  // Of a column that says nothing nothing is said.
  deepStrictEqual(linesAt(20).slice(1), ["spring  Spring sale", without]);
  deepStrictEqual(linesAt(18).slice(1), ["spring  Spring sa…", without]);
});
