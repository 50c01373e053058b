import { equal } from "node:assert/strict";
import { shellWord } from "../lib/shell_word.ts";

Deno.test("a word is quoted where a shell would read it in another way", () => {
  for (const plain of ["work", "/home/ada/.cli", "ada+ci@acme.example", "C:\\Users\\ada\\.cli"]) {
    equal(shellWord(plain), plain);
  }
  equal(shellWord("a b"), "'a b'");
  equal(shellWord("cop y;id"), "'cop y;id'");
  equal(shellWord("x$(touch y)"), "'x$(touch y)'");
  equal(shellWord("b\\c"), "'b\\c'");
  equal(shellWord("it's"), `'it'\\''s'`);
});
