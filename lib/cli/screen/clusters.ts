/**
 * The terminal columns of characters outside the plain scripts. The rules give the same widths as
 * the package `string-width`, which the tests compare on every character.
 *
 * That package takes 40 ms to load, twice as long as an empty script, since its patterns are parsed
 * at once and the platform keeps no compiled form of a package's main module. Here each pattern is
 * made when text first needs it.
 *
 * @module
 */

import defer * as eastAsian from "get-east-asian-width";

/** Makes a pattern when it is first needed. */
function lazy(source: string, flags = "v"): () => RegExp {
  let made: RegExp | undefined;
  return () => made ??= new RegExp(source, flags);
}

/** Signs that stand around the digits after them, such as the Arabic number sign. */
const AROUND = String.raw`\u{600}-\u{605}\u{6DD}\u{890}\u{891}\u{8E2}\u{110BD}\u{110CD}`;
const startsAround = lazy(`^[${AROUND}]+`);

/** A character that takes room. Marks that combine with another one do not. */
const takesRoom = lazy(
  String.raw`[^\p{Default_Ignorable_Code_Point}\p{Control}\p{Enclosing_Mark}\p{Nonspacing_Mark}` +
    String.raw`[\p{Format}--[${AROUND}]]]`,
);

/** An emoji that fills two columns, half a flag, and a key with its cap. */
const startsEmoji = lazy(
  String.raw`^(?:\p{RGI_Emoji}|\p{Regional_Indicator}{1,2}|[\d#*]\u{FE0F})`,
);

/** Emoji joined by a zero-width joiner, with or without the sign for emoji style. */
const joinsEmoji = lazy(String.raw`\u{200D}\p{Extended_Pictographic}`);

/** An emoji of the first plane with the sign for text style. */
const startsText = lazy(
  String.raw`^[\p{Emoji_Presentation}--[\u{10000}-\u{10FFFF}]]\u{FE0E}`,
);

/** A skin tone that colours no emoji before it. It shows as a swatch of its own. */
const isSwatch = lazy(
  String.raw`(?<![\p{Emoji_Modifier_Base}\u{200D}])\p{Emoji_Modifier}`,
  "gv",
);

/** The start of a Korean syllable: single letters, old letters and whole syllables. */
const startsHangul = lazy(
  String
    .raw`^[\u{1100}-\u{11FF}\u{A960}-\u{A97C}\u{AC00}-\u{D7A3}\u{D7B0}-\u{D7C6}\u{D7CB}-\u{D7FB}]`,
);

/** Kirat Rai vowels after another one. Together they are one sign. */
const vowelsAfterVowel = lazy(
  String.raw`(?<=[\u{16D63}-\u{16D6A}])[\u{16D63}-\u{16D6A}]+`,
  "gv",
);

const JOINER = "\u{200D}";

let segmenter: Intl.Segmenter | undefined;

/** The characters of a text as a reader sees them: an emoji sequence is one. */
export function* clustersOf(text: string): Generator<string, void, undefined> {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  for (const { segment } of segmenter.segment(text)) yield segment;
}

/** The number of terminal columns of a text without control bytes. */
export function widthOfClusters(text: string): number {
  let columns = 0;
  for (const cluster of clustersOf(text.toWellFormed().replaceAll(vowelsAfterVowel(), ""))) {
    columns += widthOfCluster(cluster);
  }
  return columns;
}

/** The columns of one character as a reader sees it. */
function widthOfCluster(cluster: string): number {
  const [around] = startsAround().exec(cluster) ?? [];
  if (around !== undefined) return widthAround(around, cluster.slice(around.length));
  const start = cluster.search(takesRoom());
  if (start < 0) return 0;
  if (startsHangul().test(cluster)) {
    return columnsOf(cluster) + 2 * swatchesFrom(cluster, 1);
  }
  const shown = cluster.slice(start);
  if (startsText().test(shown)) return 1;
  const emoji = startsEmoji().exec(shown);
  if (emoji) return 2 + 2 * swatchesFrom(shown, emoji[0].length);
  const sequence = joinsEmoji().exec(shown);
  if (sequence) return 2 + 2 * swatchesFrom(shown, sequence.index + sequence[0].length);
  return sumOfColumns(shown);
}

/** The columns of signs around a character. A wide character holds them; a narrow one does not. */
function widthAround(signs: string, inside: string): number {
  const columns = widthOfCluster(inside);
  const shown = inside.slice(Math.max(0, inside.search(takesRoom())));
  const isWide = columns >= 2 &&
    (columnsOf(shown) === 2 || startsEmoji().test(shown) || joinsEmoji().test(shown));
  return isWide ? columns : [...signs].length + columns;
}

/** The columns of the characters of a cluster, up to a joiner. */
function sumOfColumns(cluster: string): number {
  let columns = 0;
  for (const character of cluster.split(JOINER, 1)[0] ?? "") {
    if (takesRoom().test(character)) columns += columnsOf(character);
  }
  return columns;
}

/** The columns of the first character of a text: 1 or 2. */
function columnsOf(text: string): number {
  return eastAsian.eastAsianWidth(text.codePointAt(0) ?? 0);
}

/** The number of skin tones that show as swatches, from an index on. */
function swatchesFrom(cluster: string, index: number): number {
  const pattern = isSwatch();
  pattern.lastIndex = index;
  let count = 0;
  while (pattern.test(cluster)) count++;
  return count;
}
