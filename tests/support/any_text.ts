import { fc } from "./properties.ts";

/** Text from all of Unicode, weighted towards what is hard to measure. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.array(
    fc.constantFrom(
      ..."a é … 한 国 ｱ ﾞ 👨‍👩‍👧‍👦 🇩🇪 🏽 👍🏽 e\u0301 \u0301 \u200d \ufe0f ❤️ ❤ क्ष ำ \u0600 مرحبا שלום 1️⃣ \u001b \n \ud800"
        .split(" "),
      " ",
    ),
    { maxLength: 30 },
  ).map((parts) => parts.join("")),
  fc.constant("x".repeat(250)),
);
