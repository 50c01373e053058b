import { equal, match } from "node:assert/strict";
import { junitText } from "../../../lib/scenario/run/junit.ts";

Deno.test("a step that was skipped without a failure of its own is no passed case", () => {
  const step = { number: 2, title: "deliver", line: 9, failures: [], skipped: true };
  const outcome = { file: "a.yaml", name: "", steps: [step], events: 0, digest: "" };
  const text = junitText([outcome]);
  match(text, /skipped="1"/);
  equal(text.match(/<skipped message="There is no webhook"\/>/g)?.length, 1);
});
