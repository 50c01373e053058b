import { equal } from "node:assert/strict";
import { quoted } from "../../lib/cli/screen/command_lines.ts";
import { shellWord } from "../../lib/config/shell_word.ts";

Deno.test("a word is quoted where a shell would read it in another way", () => {
  for (const plain of ["work", "/home/ada/.cli", "ada+ci@acme.example", "a=b,c"]) {
    equal(shellWord(plain, "linux"), plain);
  }
  const words = [
    ["", "''"],
    ["a b", "'a b'"],
    ["cop y;id", "'cop y;id'"],
    ["x$(touch y)", "'x$(touch y)'"],
    ["b\\c", "'b\\c'"],
    // zsh looks for a program of that name.
    ["=b", "'=b'"],
    ["it's", `'it'\\''s'`],
  ] as const;
  for (const [word, expected] of words) equal(shellWord(word, "linux"), expected);
});

Deno.test("on Windows a word is quoted for cmd and PowerShell", () => {
  const plain = ["work", "C:\\Users\\ada\\.cli", "C:/data", "ada+ci@acme.example", "..\\data"];
  for (const word of [...plain, "\\\\server\\share"]) equal(shellWord(word, "windows"), word);
  const words = [
    ["", '""'],
    ["\\\\server\\my share", '"\\\\server\\my share"'],
    ["C:\\my data\\", '"C:\\my data\\\\"'],
    ["it's; a&b", `"it's; a&b"`],
    // PowerShell takes a list apart, and passes the variables of a name that begins with @.
    ["a,b", '"a,b"'],
    ["@a", '"@a"'],
    ["$RCAnonymousID:1", "'$RCAnonymousID:1'"],
    ["it's $1", "'it''s $1'"],
    ['say "a"', `'say "a"'`],
  ] as const;
  for (const [word, expected] of words) equal(shellWord(word, "windows"), expected);
});

Deno.test("commands quote their words like paths", () => {
  for (const word of ["a b", "$x", "a=b"]) equal(quoted(word), shellWord(word));
});
