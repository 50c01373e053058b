import assert from "node:assert/strict";
import * as oauth from "oauth4webapi";
import {
  answerPage,
  openPage,
  OWNER,
  type SignIn,
  startSignIn,
} from "../../support/oauth_fixture.ts";

// An independent client library plays the client here, and judges what the service answers.
const CLIENT: oauth.Client = { client_id: "svc-cli" };
const NONE = oauth.None();
const INSECURE = { [oauth.allowInsecureRequests]: true };
const REDIRECT = "http://127.0.0.1:1/callback";

/** A service on a socket, as the library discovered it. */
interface Discovered extends AsyncDisposable {
  signIn: SignIn;
  server: oauth.AuthorizationServer;
}

Deno.test("an independent client discovers, signs in, refreshes and revokes", async () => {
  await using discovered = await discover();
  const { signIn, server } = discovered;
  const first = await signInWith(discovered, "*:*:read_write");
  assert.match(first.access_token, /^atk_/);
  assert.equal(first.scope, "*:*:read_write");
  assert.equal(first.expires_in, 3600);
  assert.equal((await signIn.oauth.authenticate(first.access_token))?.email, OWNER);

  const second = await oauth.processRefreshTokenResponse(
    server,
    CLIENT,
    await oauth.refreshTokenGrantRequest(server, CLIENT, NONE, first.refresh_token ?? "", INSECURE),
  );
  assert.match(second.refresh_token ?? "", /^rtk_/);
  assert.notEqual(second.refresh_token, first.refresh_token);
  assert.equal(await signIn.oauth.authenticate(first.access_token), undefined);
  assert.ok(await signIn.oauth.authenticate(second.access_token));

  await oauth.processRevocationResponse(
    await oauth.revocationRequest(server, CLIENT, NONE, second.refresh_token ?? "", INSECURE),
  );
  assert.equal(await signIn.oauth.authenticate(second.access_token), undefined);
  await assert.rejects(refresh(server, second.refresh_token ?? ""), { error: "invalid_grant" });
});

Deno.test("an independent client exchanges its token for a sign-in of its own", async () => {
  await using discovered = await discover();
  const { signIn, server } = discovered;
  const first = await signInWith(discovered, "*:*:read");
  const response = await oauth.genericTokenEndpointRequest(
    server,
    CLIENT,
    NONE,
    "urn:ietf:params:oauth:grant-type:token-exchange",
    new URLSearchParams({
      subject_token: first.access_token,
      subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
      scope: "project_configuration:*:read",
    }),
    INSECURE,
  );
  const second = await oauth.processGenericTokenEndpointResponse(server, CLIENT, response);
  assert.equal(second.issued_token_type, "urn:ietf:params:oauth:token-type:access_token");
  assert.equal(second.scope, "project_configuration:*:read");
  await refresh(server, first.refresh_token ?? "");
  assert.ok(await signIn.oauth.authenticate(second.access_token));
});

Deno.test("an independent client understands a refusal, and whom it comes from", async () => {
  await using discovered = await discover();
  const { server } = discovered;
  const denied = await authorize(discovered, "*:*:read", "deny");
  assert.throws(
    () => oauth.validateAuthResponse(server, CLIENT, denied.url, denied.state),
    { error: "access_denied", error_description: "The request was denied" },
  );
  const scope = await authorize(discovered, "everything", "allow");
  assert.throws(
    () => oauth.validateAuthResponse(server, CLIENT, scope.url, scope.state),
    { error: "invalid_scope" },
  );
  const allowed = await authorize(discovered, "*:*:read", "allow");
  assert.throws(() => oauth.validateAuthResponse(server, CLIENT, allowed.url, "another state"));
  const other = { ...server, issuer: "http://127.0.0.1:2" };
  assert.throws(
    () => oauth.validateAuthResponse(other, CLIENT, allowed.url, allowed.state),
    /issuer|iss/,
  );
});

Deno.test("an independent client with a wrong verifier, client or code gets nothing", async () => {
  await using discovered = await discover();
  const { server } = discovered;
  const { url, state, verifier } = await authorize(discovered, "*:*:read", "allow");
  const answer = oauth.validateAuthResponse(server, CLIENT, url, state);
  const other = oauth.generateRandomCodeVerifier();
  await assert.rejects(redeem(server, CLIENT, answer, other), { error: "invalid_grant" });
  await assert.rejects(redeem(server, CLIENT, answer, verifier), { error: "invalid_grant" });
  await assert.rejects(redeem(server, { client_id: "nobody" }, answer, verifier), (error) => {
    assert.ok(error instanceof oauth.ResponseBodyError);
    assert.equal(error.error, "invalid_client");
    assert.equal(error.status, 401);
    return true;
  });
});

Deno.test("metadata tells what there is, for the address that was asked", async () => {
  await using signIn = await startSignIn();
  const path = "/.well-known/oauth-authorization-server";
  const metadata = await (await signIn.send(path)).json();
  assert.equal(metadata.issuer, "http://127.0.0.1:4010");
  assert.equal(metadata.authorization_endpoint, "http://127.0.0.1:4010/oauth2/authorize");
  assert.deepEqual(metadata.code_challenge_methods_supported, ["S256"]);
  assert.deepEqual(metadata.token_endpoint_auth_methods_supported, ["none"]);
  assert.deepEqual(metadata.response_types_supported, ["code"]);
  assert.equal(metadata.authorization_response_iss_parameter_supported, true);
  assert.ok(metadata.scopes_supported.includes("*:*:read_write"));
  assert.ok(metadata.scopes_supported.includes("project_configuration:apps:read"));
  const local = await signIn.handle(new Request("http://localhost:99" + path));
  assert.equal((await local.json()).issuer, "http://localhost:99");
  assert.equal((await signIn.send(path, { method: "POST" })).status, 405);
});

Deno.test("behind a proxy the service tells the address that it was given", async () => {
  await using signIn = await startSignIn({ issuer: "https://service.example/" });
  const response = await signIn.send("/.well-known/oauth-authorization-server");
  assert.equal((await response.json()).token_endpoint, "https://service.example/oauth2/token");
  const page = await openPage(signIn);
  const answer = await answerPage(signIn, page, {}, { Origin: "https://service.example" });
  assert.match(answer.headers.get("Location") ?? "", /&iss=https%3A%2F%2Fservice\.example$/);
});

/** Starts a service on a socket and has the library discover it. */
async function discover(): Promise<Discovered> {
  const signIn = await startSignIn();
  const http = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => signIn.handle(request),
  );
  const issuer = new URL(`http://127.0.0.1:${http.addr.port}`);
  const response = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...INSECURE });
  const server = await oauth.processDiscoveryResponse(issuer, response);
  const close = async () => {
    await http.shutdown();
    await signIn[Symbol.asyncDispose]();
  };
  return { signIn, server, [Symbol.asyncDispose]: close };
}

/** Walks through the page that asks, as a person in a browser would, and returns where it leads. */
async function authorize(
  { signIn, server }: Discovered,
  scope: string,
  decision: string,
): Promise<{ url: URL; state: string; verifier: string }> {
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const url = new URL(server.authorization_endpoint ?? "");
  const parameters = {
    client_id: CLIENT.client_id,
    response_type: "code",
    redirect_uri: REDIRECT,
    scope,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  let response = await fetch(url, { redirect: "manual" });
  if (response.status === 200) {
    await response.body?.cancel();
    const page = await openPage(signIn, url.href);
    response = await answerPage(signIn, page, { decision });
  }
  await response.body?.cancel();
  return { url: new URL(response.headers.get("Location") ?? ""), state, verifier };
}

async function signInWith(
  discovered: Discovered,
  scope: string,
): Promise<oauth.TokenEndpointResponse> {
  const { url, state, verifier } = await authorize(discovered, scope, "allow");
  const answer = oauth.validateAuthResponse(discovered.server, CLIENT, url, state);
  return await redeem(discovered.server, CLIENT, answer, verifier);
}

async function redeem(
  server: oauth.AuthorizationServer,
  client: oauth.Client,
  answer: URLSearchParams,
  verifier: string,
): Promise<oauth.TokenEndpointResponse> {
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    NONE,
    answer,
    REDIRECT,
    verifier,
    INSECURE,
  );
  return await oauth.processAuthorizationCodeResponse(server, client, response);
}

async function refresh(server: oauth.AuthorizationServer, token: string): Promise<void> {
  const response = await oauth.refreshTokenGrantRequest(server, CLIENT, NONE, token, INSECURE);
  await oauth.processRefreshTokenResponse(server, CLIENT, response);
}
