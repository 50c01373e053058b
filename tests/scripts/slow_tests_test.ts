import { deepEqual } from "node:assert/strict";
import { readReport, renderSlow } from "../../scripts/slow_tests.ts";

const REPORT = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="deno test" tests="4" failures="1" errors="0" time="1.909">
    <testsuite name="./tests/a_test.ts" tests="4" disabled="0" errors="0" failures="0">
        <testcase name="slow &amp; &lt;quoted&gt; &quot;one&quot;" classname="./tests/a_test.ts" time="4.873" line="1" col="6">
        </testcase>
        <testcase name="fast" classname="./tests/a_test.ts" time="3.000" line="2" col="6">
            <failure message="Uncaught">time="9"</failure>
        </testcase>
        <testcase name="slow &amp; &lt;quoted&gt; &quot;one&quot; &gt; a step" classname="./tests/a_test.ts" time="4.503" line="1" col="103">
        </testcase>
        <testcase name="a &gt; b" classname="./tests/b_test.ts" time="62.5" line="7" col="1"></testcase>
    </testsuite>
</testsuites>`;

Deno.test("the report of a run has every test with its place and time, without steps", () => {
  deepEqual(readReport(REPORT), [
    { place: "tests/a_test.ts:1", name: 'slow & <quoted> "one"', seconds: 4.873 },
    { place: "tests/a_test.ts:2", name: "fast", seconds: 3 },
    { place: "tests/b_test.ts:7", name: "a > b", seconds: 62.5 },
  ]);
});

Deno.test("tests that take longer than three seconds are listed, slowest first", () => {
  deepEqual(renderSlow(readReport(REPORT)), [
    "Longer than 3 seconds:",
    "  62.5 s  tests/b_test.ts:7  a > b",
    '   4.9 s  tests/a_test.ts:1  slow & <quoted> "one"',
  ]);
  deepEqual(renderSlow([]), ["No test takes longer than 3 seconds"]);
});
