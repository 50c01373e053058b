/**
 * The rules for new passwords, after NIST SP 800-63B: a length, and no password that is expected. There
 * are no rules about kinds of characters.
 *
 * @module
 */

/** The shortest and the longest password, in characters. */
export const PASSWORD_LENGTH = { least: 12, most: 256 };

/** A password that a person has typed twice, and the e-mail address of the account. */
interface NewPassword {
  /** The password. */
  password: string;
  /** The same again. */
  again: string;
  /** The address. */
  email: string;
}

/** What is wrong with a new password, in a sentence that names the rule; undefined: nothing. */
export async function faultOfPassword(
  { password, again, email }: NewPassword,
): Promise<string | undefined> {
  const length = [...password].length;
  const { least, most } = PASSWORD_LENGTH;
  if (length < least) return `The password must have at least ${least} characters.`;
  if (length > most) return `The password must have at most ${most} characters.`;
  if (new Set(password).size < 4) return "The password must have at least 4 different characters.";
  const text = password.toLowerCase();
  if (text === email) return "The password must differ from the e-mail address.";
  if (unitOf(text).length < least) return "The password must not repeat a shorter text.";
  if (partsOf(text) < FEWEST_PARTS) {
    return "The password must not consist of sequences such as abcdef, 123456 or qwerty.";
  }
  const words = wordsIn(text);
  if (words.length > 0 && words.every((word) => contextOf(email).has(word))) {
    return "The password must have more than the account's name or the service's, with digits or signs.";
  }
  if (await isCommon(text, words)) {
    return "The password must not be a common one, nor one common word with digits or signs.";
  }
  return password === again ? undefined : "The two passwords differ. Type them again.";
}

/** The shortest text that, repeated, is another one. Its last repetition may be cut. */
function unitOf(text: string): string {
  for (let length = 1; length <= text.length / 2; length++) {
    if (text.slice(length) === text.slice(0, -length)) return text.slice(0, length);
  }
  return text;
}

/** The order in which keyboards, alphabets and numbers are typed. */
const ORDERS = ["abcdefghijklmnopqrstuvwxyz", "12345678901234567890", "qwertyuiop", "asdfghjkl"]
  .concat("zxcvbnm", "qwertzuiop", "yxcvbnm", "azertyuiop", "qsdfghjklm", "wxcvbn")
  .flatMap((order) => [order, [...order].reverse().join("")]);

/** The shortest run that counts as a sequence, in characters. */
const SHORTEST_RUN = 3;

/** The fewest parts of a password. A sequence is one part, and so is any other character. */
const FEWEST_PARTS = 6;

/** How many parts a text has. */
function partsOf(text: string): number {
  let parts = 0;
  for (let at = 0; at < text.length; at += runAt(text, at)) parts++;
  return parts;
}

/** The length of the sequence that begins at a place of a text; 1 if none does. */
function runAt(text: string, at: number): number {
  let length = 1;
  const isRun = (end: number) => {
    const run = text.slice(at, end);
    return ORDERS.some((order) => order.includes(run)) || new Set(run).size === 1;
  };
  while (at + length < text.length && isRun(at + length + 1)) length++;
  return length < SHORTEST_RUN ? 1 : length;
}

/** The different words of a text: its runs of letters. */
function wordsIn(text: string): string[] {
  return [...new Set(text.match(/\p{L}+/gu) ?? [])];
}

/** The words that anyone would try first at this account. */
function contextOf(email: string): Set<string> {
  return new Set([...wordsIn(email), "subscription", "subscriptions", "management", "service"]);
}

/** Whether a text, or its only word, is on the list of common passwords. */
async function isCommon(text: string, words: readonly string[]): Promise<boolean> {
  const list = await commonPasswords();
  const core = text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, "");
  const [word = "", ...others] = words;
  if (list.has(text) || list.has(core)) return true;
  return others.length === 0 && (list.has(word) || list.has(unitOf(word)));
}

let common: Promise<ReadonlySet<string>> | undefined;

/** The list of common passwords, in lower case. It is loaded for the first new password. */
function commonPasswords(): Promise<ReadonlySet<string>> {
  return common ??= import("@zxcvbn-ts/language-common").then(
    ({ dictionary }) => new Set(dictionary["passwords-common"].map(String)),
  );
}
