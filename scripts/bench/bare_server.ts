/**
 * The server that ours is measured against: `Deno.serve`, and the same answer to everything. The
 * answer is what standard input holds. Prints its port.
 *
 * @module
 */

/** Serves one fixed JSON text on a free port. */
function serveFixed(json: string): number {
  const headers = { "Content-Type": "application/json" };
  const onListen = () => {};
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen },
    () => new Response(json, { headers }),
  );
  return server.addr.port;
}

if (import.meta.main) {
  const json = await new Response(Deno.stdin.readable).text();
  console.log(JSON.stringify({ base_url: `http://127.0.0.1:${serveFixed(json)}` }));
}
