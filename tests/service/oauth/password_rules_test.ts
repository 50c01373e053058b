import { equal, match } from "node:assert/strict";
import { faultOfPassword } from "../../../lib/service/oauth/password_rules.ts";

/** What is wrong with a password of ada.stone@acme.example. */
async function faultOf(password: string): Promise<string | undefined> {
  return await faultOfPassword({ password, again: password, email: "ada.stone@acme.example" });
}

Deno.test("passwords that are tried first are refused, with the rule", async () => {
  const refused: [RegExp, string[]][] = [
    [/must not repeat a shorter text\.$/, [
      "passwordpassword",
      "PasswordPassword",
      "abc1abc1abc1",
      "monkeymonkeymon",
    ]],
    [/must not consist of sequences/, [
      "abcdefghijkl",
      "1234567890123",
      "098765432109",
      "qwertyuiop123",
      "Zxcvbnm,12345",
      "aaaabbbbcccc1234",
      // A sequence has three characters at least.
      "abc-987-qwert",
    ]],
    [/must not be a common one/, [
      "password2026",
      "Password-2026!",
      "!!Sunshine!!2026",
      "counterstrike",
      "dragon.dragon.7",
      "1qaz2wsx3edc",
      "monkeymonkey-2026",
    ]],
    [/more than the account's name or the service's/, [
      "ada.stone.2026",
      "STONE@acme-77",
      "service-service1",
      "subscriptions1!",
      "Subscription.1!",
      "management-1-2-7",
    ]],
    [/differ from the e-mail address/, ["Ada.Stone@acme.example"]],
  ];
  for (const [rule, passwords] of refused) {
    for (const password of passwords) match(await faultOf(password) ?? "none", rule, password);
  }
});

Deno.test("passwords of several words, and those of password managers, are accepted", async () => {
  const accepted = [
    "correct horse battery staple",
    "a wholly new password",
    "Tb7#qPz!m2Kw",
    "jhfk3ldk92jw",
    "übermorgen regnet es",
    "stone walls and 4 gates",
    "714 903 558 260",
    "パスワードは長いほど良いです",
  ];
  for (const password of accepted) equal(await faultOf(password), undefined, password);
});
