/**
 * Bundles the page and serves it: `deno task start SERVICE KEY`.
 *
 * @module
 */

const here = (name: string) => new URL(name, import.meta.url);

const [service = "http://127.0.0.1:4010", key = "", port = "0"] = Deno.args;
if (key === "") {
  console.error("Usage: deno task start <service> <key>; see README.md");
  Deno.exit(2);
}

const bundle = await bundlePage();
const page = await Deno.readTextFile(here("index.html"));

Deno.serve({ hostname: "127.0.0.1", port: Number(port), onListen }, (request) => {
  switch (new URL(request.url).pathname) {
    case "/":
      return new Response(page, { headers: { "Content-Type": "text/html; charset=utf-8" } });
    case "/app.js":
      return new Response(bundle, { headers: { "Content-Type": "text/javascript" } });
    case "/settings.json":
      return Response.json({ service, key });
    default:
      return new Response("There is nothing here", { status: 404 });
  }
});

/** Prints where the page is. */
function onListen(address: Deno.NetAddr): void {
  console.log(`The page is at http://127.0.0.1:${address.port}/`);
}

/** The page's code and the SDK as one file for the browser. */
async function bundlePage(): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", "--platform=browser", "app.ts"],
    cwd: here("."),
  }).output();
  if (success) return new TextDecoder().decode(stdout);
  console.error(new TextDecoder().decode(stderr));
  Deno.exit(1);
}
