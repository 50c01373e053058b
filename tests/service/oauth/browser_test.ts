import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { NO_BROWSER } from "../../browser/no_browser.ts";

/** The browser that npm has is built for this machine only. */
const HAS_BROWSER = Deno.build.os === "linux" && Deno.build.arch === "x86_64";

const REASON = HAS_BROWSER ? "" : " (skipped: npm has a browser for Linux on x86-64 only)";

/** The names of the checks. Those of passwords and of a provider take half a minute. */
const CHECKS = [
  "consent",
  "sign_in",
  "web_app",
  ...Deno.env.has("LONG_TESTS") ? ["passwords"] : [],
];

// A browser needs more permissions than any other test, so it gets a process of its own.
Deno.test({
  name: `people sign in, and an app buys, with a real browser${REASON}`,
  ignore: !HAS_BROWSER,
  fn: async () => {
    const folder = await Deno.makeTempDir();
    try {
      const { success, text } = await runChecks(folder);
      const [excuse] = new RegExp(`${NO_BROWSER}.*`).exec(text) ?? [];
      if (excuse) return console.warn(`SKIPPED. ${excuse}`);
      assert.ok(success, text);
      assert.match(text, /1 passed \(\d\d steps\)/, "they ran");
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

async function runChecks(folder: string): Promise<{ success: boolean; text: string }> {
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    cwd: root,
    args: [
      "test",
      // With packages of its own, so that nobody downloads a browser to run the command line.
      "--config=tests/browser/deno.json",
      "--frozen",
      "--no-prompt",
      // `deno task check` checks their types.
      "--no-check",
      // The package that drives the browser looks into places that nothing less opens.
      "--allow-all",
      "tests/browser/main.ts",
      "--",
      ...CHECKS,
    ],
    env: { TMPDIR: folder, NO_COLOR: "1" },
  }).output();
  const text = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("\n");
  return { success, text };
}
