/**
 * Shows `cli verify` at work: starts a webhook handler with faults, and finds one of them.
 *
 * ```sh
 * deno task demo:verify
 * ```
 *
 * @module
 */

/** Signs the deliveries of this demonstration. */
const SECRET = `whsec_${btoa("the secret of verify_demo")}`;

/** What to do next. */
const YOURS = "For your own handler, set CLI_WEBHOOK_SECRET to its secret, and run: " +
  "cli verify http://localhost:3000/hook --state 'http://localhost:3000/users/{customer}'";

const folder = await Deno.makeTempDir({ prefix: "verify-" });
const handler = start("scripts/examples/webhook_faulty.ts", [], { stderr: "piped" });
try {
  const url = await addressOf(handler);
  const words = ["verify", `${url}hook`, "--state", `${url}users/{customer}`, "--faults", "1"];
  const save = ["--save", `${folder}/verify.yaml`];
  const verify = start("cli.ts", [...words, ...save], { stderr: "piped" });
  await showErrors(verify);
  const { code } = await verify.status;
  // The fault that is there is to be found.
  if (code !== 1) Deno.exitCode = code === 0 ? 1 : code;
} finally {
  handler.kill();
  await handler.status;
  await Deno.remove(folder, { recursive: true });
}

/** Prints the errors of `cli verify`. Its hint runs a file for a handler that is about to end. */
async function showErrors({ stderr }: Deno.ChildProcess): Promise<void> {
  const text = await new Response(stderr).text();
  console.error(text.replace(/^Run it again: .*$/m, YOURS).trimEnd());
}

/** Starts a program of this repository. */
function start(
  program: string,
  words: readonly string[],
  options: { stderr?: "piped" },
): Deno.ChildProcess {
  const path = new URL(`../${program}`, import.meta.url);
  const permissions = ["--allow-net=127.0.0.1", "--allow-env", "--allow-read", "--allow-write"];
  const flags = ["run", "--quiet", "--no-prompt", "--frozen", ...permissions];
  return new Deno.Command(Deno.execPath(), {
    args: [...flags, path.href, ...words],
    env: { CLI_WEBHOOK_SECRET: SECRET, CLI_WEBHOOK_PORT: "0" },
    stdin: "null",
    stdout: "inherit",
    stderr: "inherit",
    ...options,
  }).spawn();
}

/** The address that the handler prints once it listens. */
async function addressOf({ stderr }: Deno.ChildProcess): Promise<string> {
  let text = "";
  for await (const part of stderr.pipeThrough(new TextDecoderStream())) {
    text += part;
    const [, url] = /(http:\/\/\S+)\s/.exec(text) ?? [];
    if (url) return url;
  }
  throw new Error(`Cannot start the handler: ${text}`);
}
