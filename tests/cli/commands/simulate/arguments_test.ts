import { deepEqual, equal, match } from "node:assert/strict";
import { type Desk, openDesk } from "../../../support/harness.ts";
import { simulate } from "../../../support/simulation.ts";

const MONTHLY = { product_id: "notes.pro.monthly", price: 9.99 };

/** A desk whose command line has the administrator's secret. */
function openAdmin(): Promise<Desk> {
  return openDesk({ isAdmin: true });
}

Deno.test("simulate extend needs exactly one new end, and sends nothing otherwise", async () => {
  await using desk = await openAdmin();
  const { id } = await simulate(desk).subscribe(MONTHLY);
  const before = desk.sent.length;
  const none = await desk.run("simulate", "extend", id);
  deepEqual([none.code, desk.sent.length], [2, before]);
  match(none.err, /: --by or --until is missing\nPass one of them: --by 30d, or --until /);
  const both = await desk.run("simulate", "extend", id, "--by", "30d", "--until", "2027-01-31");
  deepEqual([both.code, desk.sent.length], [2, before]);
  match(both.err, /: --by and --until exclude each other\n/);
});

Deno.test("currency and country codes are not case-sensitive", async () => {
  await using desk = await openAdmin();
  const codes = ["--currency", "eur", "--country", "de", "--output", "json"];
  const words = ["simulate", "purchase", "zoe", MONTHLY.product_id, "--price", "5", ...codes];
  const bought = await desk.run(...words);
  equal(bought.code, 0, bought.err);
  equal(JSON.parse(bought.out).country, "DE");
  for (const words of ["charts get revenue", "metrics overview"]) {
    equal((await desk.run(...words.split(" "), "--currency", "jpy")).code, 0, words);
  }
});
