import { match, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { answerIn } from "../../lib/auth/pasted.ts";
import { signIn } from "../../lib/connect.ts";
import { AuthError, ConfigError } from "../../lib/errors.ts";
import { allow, allowedAddress, type Home, openHome } from "../support/home_fixture.ts";

/** Signs in on a machine without a browser. `answer` makes what is pasted out of the right address. */
async function signInByPaste(
  at: Home,
  answers: readonly ((address: URL) => string)[],
): Promise<{ token: ReturnType<typeof signIn>; problems: (string | undefined)[] }> {
  const problems: (string | undefined)[] = [];
  const left = [...answers];
  let address: Promise<URL> | undefined;
  const token = signIn({
    surroundings: at.around(),
    browser: false,
    onUrl: (url) => void (address = allowedAddress(url, at)),
    paste: async (problem) => {
      problems.push(problem);
      const given = await address;
      ok(given);
      return left.shift()?.(given) ?? "";
    },
  });
  await token.catch(() => {});
  return { token, problems };
}

Deno.test("the pasted address, or its query, ends the sign-in", async () => {
  await using at = await openHome();
  const ways: ((url: URL) => string)[] = [
    ({ href }) => href,
    ({ href }) => `  <${href}>\n`,
    ({ href }) => href.replace(/(.{40})/g, "$1\n"),
    ({ search }) => search.slice(1),
  ];
  for (const way of ways) {
    const { token, problems } = await signInByPaste(at, [way]);
    ok((await token).access_token);
    strictEqual(problems.length, 1);
  }
});

Deno.test("a wrong paste gets its reason and another try", async () => {
  await using at = await openHome();
  const changed = (name: string, value: string | null) => (url: URL) => {
    const copy = new URL(url);
    if (value === null) copy.searchParams.delete(name);
    else copy.searchParams.set(name, value);
    return copy.href;
  };
  const { token, problems } = await signInByPaste(at, [
    () => "",
    () => "http://127.0.0.1:4010/oauth2/authorize?response_type=code&state=x",
    (url) => url.searchParams.get("code") ?? "",
    changed("code", null),
    changed("state", null),
    changed("state", "of-another"),
    ({ href }) => `${href}&state=of-another`,
    changed("iss", "https://evil.example"),
    changed("iss", null),
    ({ href }) => href,
  ]);
  ok((await token).access_token);
  const reasons = [
    /it is empty/,
    /it is the address to open\. Paste the address that the browser shows afterwards/,
    /it contains no code\. Paste the whole address/,
    /it contains no code/,
    /it contains no state/,
    /it belongs to another sign-in/,
    /it belongs to another sign-in/,
    /the answer is from https:\/\/evil\.example/,
    /does not name its service/,
  ];
  strictEqual(problems.length, reasons.length + 1);
  for (const [i, reason] of reasons.entries()) match(problems[i + 1] ?? "", reason);
});

Deno.test("a pasted refusal ends the sign-in", async () => {
  await using at = await openHome();
  const { token } = await signInByPaste(at, [(url) => {
    url.searchParams.delete("code");
    url.searchParams.set("error", "access_denied");
    return url.href;
  }]);
  await rejects(token, (error) => error instanceof AuthError && /denied/.test(error.message));
});

Deno.test("a browser that reaches the machine takes the question back", async () => {
  await using at = await openHome();
  let taken: AbortSignal | undefined;
  const token = await signIn({
    surroundings: at.around(),
    browser: false,
    onUrl: (url) => void allow(url, at).catch(() => {}),
    paste: (_problem, signal) => {
      taken = signal;
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    },
  });
  ok(token.access_token);
  strictEqual(taken?.aborted, true);
});

Deno.test("the browser's answer comes to the chosen port, and a used port is named", async () => {
  await using at = await openHome();
  const used = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = used.addr;
  const signInAt = (onUrl: (url: string) => void) =>
    signIn({ surroundings: at.around(), browser: false, callbackPort: port, onUrl });
  await rejects(signInAt(() => {}), (error) => {
    ok(error instanceof ConfigError);
    strictEqual(
      error.message,
      `Cannot listen on 127.0.0.1:${port} for the browser's answer: another program uses the port`,
    );
    return true;
  });
  used.close();
  let address = "";
  await signInAt((url) => {
    address = url;
    void allow(url, at).catch(() => {});
  });
  strictEqual(
    new URL(address).searchParams.get("redirect_uri"),
    `http://127.0.0.1:${port}/callback`,
  );
});

Deno.test("an answer whose state is given twice is refused", () => {
  throws(() => answerIn("code=a&state=s&state=s", "s"), AuthError);
});
