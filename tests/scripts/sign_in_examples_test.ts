import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheFolder } from "../support/cache_folder.ts";
import { ended } from "../support/ended.ts";
import { type OnPort, openOnPort } from "../support/on_port.ts";
import { acrossProjects } from "../../lib/service/store/mod.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** A listening service that allows every sign-in. */
function listening(): Promise<OnPort> {
  return openOnPort({ autoApprove: "owner@example.com" });
}

/** Starts an example with the command in its first comment. */
async function startExample(name: string, env: Record<string, string>): Promise<Deno.ChildProcess> {
  const source = await Deno.readTextFile(join(ROOT, "scripts", "examples", `${name}.ts`));
  const [, line = ""] = /^ \* deno (run .*)$/m.exec(source) ?? [];
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-prompt", ...line.replaceAll('"', "").split(" ").slice(1)],
    cwd: ROOT,
    env: { HOME: "/nowhere", NO_COLOR: "1", DENO_DIR: await cacheFolder(), ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

Deno.test("the example sign_in stores a profile that the next program uses", {
  ignore: Deno.build.os === "windows",
}, async () => {
  await using at = await listening();
  const home = await Deno.makeTempDir();
  try {
    const child = await startExample("sign_in", { HOME: home, CLI_BASE_URL: at.baseUrl });
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("\n")) text += (await reader.read()).value ?? "";
    // The browser is redirected at once, so visiting the address is all there is to do.
    const page = await fetch(/http\S+/.exec(text)?.[0] ?? "");
    match(await page.text(), /You are signed in/);
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      text += chunk.value;
    }
    const { code } = await child.status;
    const err = await new Response(child.stderr).text();
    deepStrictEqual([code, err], [0, ""]);
    match(text, /^Open http\S+\nYou see Notes \(proj\w+\)\nStored as the profile "script"\n$/);
    const file = JSON.parse(await Deno.readTextFile(join(home, ".cli", "config.json")));
    strictEqual(file.profiles.script.base_url, at.baseUrl);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
});

Deno.test("the example run_in_ci passes a valid project, and fails an invalid one", async () => {
  await using at = await listening();
  const { refresh_token } = await at.service.oauth.issueToken();
  const env = {
    CLI_BASE_URL: at.baseUrl,
    CLI_PROJECT_ID: at.service.projectId ?? "",
    CLI_REFRESH_TOKEN: refresh_token,
  };
  const good = await ended(await startExample("run_in_ci", env));
  deepStrictEqual(good, { code: 0, out: "Ready for release\n", err: "" });
  await at.service.store.write((tx) =>
    acrossProjects(tx).updateTable("projects").set({ current_offering_id: null }).execute()
  );
  const bad = await ended(await startExample("run_in_ci", env));
  deepStrictEqual([bad.code, bad.out, bad.err], [1, "", "No offering is current\n"]);
  const none = await ended(await startExample("run_in_ci", { ...env, CLI_REFRESH_TOKEN: "" }));
  match(none.err, /^Cannot send the request: nobody is signed in\. Set CLI_REFRESH_TOKEN/);
  const wrong = await ended(
    await startExample("run_in_ci", { ...env, CLI_REFRESH_TOKEN: "rtk_x" }),
  );
  match(wrong.err, /^Cannot sign in with CLI_REFRESH_TOKEN: the service refused it/);
  const mistakes = [
    [{ CLI_PROJECT_ID: "" }, /^Cannot choose a project: [^\n]+\n$/],
    [{ CLI_PROJECT_ID: "projnone" }, /^[^\n]*project[^\n]*\n$/],
    [{ CLI_BASE_URL: "http://127.0.0.1:1" }, /^Cannot reach [^\n]+\n$/],
  ] as const;
  for (const [change, said] of mistakes) {
    const { code, err } = await ended(await startExample("run_in_ci", { ...env, ...change }));
    strictEqual(code, 1);
    match(err, said);
  }
});

Deno.test("the example sign_in prints an error in one line", async () => {
  const home = await Deno.makeTempDir();
  try {
    const env = { HOME: home, CLI_BASE_URL: "http://127.0.0.1:1" };
    const { code, err } = await ended(await startExample("sign_in", env));
    strictEqual(code, 1);
    match(err, /^Cannot reach [^\n]+\n$/);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
});
