import { equal } from "node:assert/strict";
import { story } from "../../../lib/scenario/stories/story.ts";

Deno.test("a story begins on the last of a month, with the catalogue of the pack", () => {
  equal(
    story("a.yaml", "Ada buys", "\n  - advance: P1M\n").text,
    `# yaml-language-server: $schema=./scenario.schema.json
name: Ada buys
start:
  at: 2026-01-31
  catalogue: catalogue/notes.yaml
steps:
  - advance: P1M
`,
  );
});
