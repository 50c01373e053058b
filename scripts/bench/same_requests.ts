// The least that lists offerings: the same two requests as `cli offerings list`, and nothing else.

const base = Deno.env.get("CLI_BASE_URL") ?? "";
const token = await fetch(`${base}/oauth2/token`, {
  method: "POST",
  body: new URLSearchParams({
    grant_type: "refresh_token",
    refresh_token: Deno.env.get("CLI_REFRESH_TOKEN") ?? "",
    client_id: "svc-cli",
  }),
});
const { access_token } = await token.json();
const path = `/v2/projects/${Deno.env.get("CLI_PROJECT_ID")}/offerings?limit=100`;
const list = await fetch(`${base}${path}`, {
  headers: { authorization: `Bearer ${access_token}` },
});
if (!list.ok) throw new Error(`The list answered ${list.status}: ${await list.text()}`);
await Deno.stdout.write(new Uint8Array(await list.arrayBuffer()));
