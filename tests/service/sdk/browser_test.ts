import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { NO_BROWSER } from "../../browser/no_browser.ts";

/** The browser that npm has is built for this machine only. */
const HAS_BROWSER = Deno.build.os === "linux" && Deno.build.arch === "x86_64";

const REASON = HAS_BROWSER ? "" : " (skipped: npm has a browser for Linux on x86-64 only)";

// A browser needs more permissions than any other test, so it gets a process of its own.
Deno.test({
  name: `an app with the real SDK buys in a real browser${REASON}`,
  ignore: !HAS_BROWSER,
  fn: async () => {
    const folder = await Deno.makeTempDir();
    try {
      const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        cwd: fileURLToPath(new URL("../../..", import.meta.url)),
        args: [
          ...["test", "--config=tests/browser/deno.json", "--frozen", "--no-prompt", "--no-check"],
          ...["--allow-all", "tests/browser/web_app.ts"],
        ],
        env: { TMPDIR: folder, NO_COLOR: "1" },
      }).output();
      const text = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("\n");
      const [excuse] = new RegExp(`${NO_BROWSER}.*`).exec(text) ?? [];
      if (excuse) return console.warn(`SKIPPED. ${excuse}`);
      assert.ok(success, text);
      assert.match(text, /1 passed \(7 steps\)/, "they ran");
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
