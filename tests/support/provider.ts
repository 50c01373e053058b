/**
 * A small OpenID Connect provider on a socket, with real keys and signatures. Each token can be made
 * wrong in one way.
 *
 * @module
 */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash, randomUUID } from "node:crypto";

/** What this service is to the provider. */
export const CLIENT = { id: "service", secret: "a secret: with +signs" };

/** Who signs in at the provider, and what is wrong with its answer. */
export interface ProviderState {
  /** Claims of the ID token, besides those that the protocol needs; undefined leaves one out. */
  claims: Record<string, unknown>;
  /** What the user info endpoint answers. */
  userinfo: Record<string, unknown>;
  /** Signs with a key that the provider does not publish. */
  forged: boolean;
  /** Changes the redirect back. */
  redirect: (address: URL) => void;
}

/** A provider. */
export interface TestProvider extends AsyncDisposable {
  /** Its issuer identifier. */
  issuer: string;
  /** What it does. */
  state: ProviderState;
  /** The requests to its authorization endpoint. */
  asked: URLSearchParams[];
}

/** The signature algorithms. */
const ALGORITHMS = {
  RS256: {
    make: {
      name: "RSASSA-PKCS1-v1_5",
      hash: "SHA-256",
      modulusLength: 2048,
      publicExponent: new Uint8Array([1, 0, 1]),
    },
    sign: { name: "RSASSA-PKCS1-v1_5" },
  },
  ES256: {
    make: { name: "ECDSA", namedCurve: "P-256" },
    sign: { name: "ECDSA", hash: "SHA-256" },
  },
};

/** What the provider signs with. */
interface Signer {
  /** The name of the algorithm. */
  algorithm: keyof typeof ALGORITHMS;
  /** The public key, as it is published. */
  jwk: JsonWebKey;
  /** Signs claims, with a key of somebody else where it is forged. */
  sign(claims: object, forged: boolean): Promise<string>;
}

/** Makes keys. */
async function createSigner(algorithm: keyof typeof ALGORITHMS): Promise<Signer> {
  const { make, sign } = ALGORITHMS[algorithm];
  const keys = async () => await crypto.subtle.generateKey(make, true, ["sign", "verify"]);
  const [own, strange] = [await keys(), await keys()];
  assert.ok("publicKey" in own && "publicKey" in strange);
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return {
    algorithm,
    jwk: await crypto.subtle.exportKey("jwk", own.publicKey),
    async sign(claims, forged) {
      const input = `${encode({ alg: algorithm, kid: "one", typ: "JWT" })}.${encode(claims)}`;
      const { privateKey } = forged ? strange : own;
      const signature = await crypto.subtle.sign(sign, privateKey, Buffer.from(input));
      return `${input}.${Buffer.from(signature).toString("base64url")}`;
    },
  };
}

/** The codes that the provider gave out, with their requests. */
type Codes = Map<string, URLSearchParams>;

/** Lets the person in at once, and sends the browser back. */
function authorize({ state, asked }: TestProvider, { searchParams }: URL, codes: Codes): Response {
  asked.push(searchParams);
  const code = randomUUID();
  codes.set(code, searchParams);
  const back = new URL(searchParams.get("redirect_uri") ?? "");
  back.searchParams.set("code", code);
  back.searchParams.set("state", searchParams.get("state") ?? "");
  state.redirect(back);
  return new Response(null, { status: 303, headers: { Location: back.href } });
}

/** Takes the request of a code, if all that belongs to it is right. */
async function redeem(request: Request, codes: Codes): Promise<URLSearchParams | undefined> {
  const form = new URLSearchParams(await request.text());
  // RFC 6749 §2.3.1: both parts are form-encoded first.
  const pair = [CLIENT.id, CLIENT.secret].map((part) =>
    new URLSearchParams({ _: part }).toString().slice(2)
  );
  const code = form.get("code") ?? "";
  const started = codes.get(code);
  codes.delete(code);
  const challenge = createHash("sha256").update(form.get("code_verifier") ?? "")
    .digest("base64url");
  const isGood = request.headers.get("Authorization") === `Basic ${btoa(pair.join(":"))}` &&
    started?.get("code_challenge") === challenge &&
    started.get("redirect_uri") === form.get("redirect_uri");
  return isGood ? started : undefined;
}

/** Answers with a token, wrong as the state says. */
async function answerTokens(
  { issuer, state }: TestProvider,
  signer: Signer,
  started: URLSearchParams | undefined,
): Promise<Response> {
  if (!started) return Response.json({ error: "invalid_grant" }, { status: 400 });
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    ...{ iss: issuer, aud: CLIENT.id, sub: "person-1", iat: now, exp: now + 300 },
    nonce: started.get("nonce"),
    ...{ email: "ada@example.com", email_verified: true, name: "Ada" },
    ...state.claims,
  };
  const id_token = await signer.sign(claims, state.forged);
  return Response.json({ access_token: "provider-token", token_type: "Bearer", id_token });
}

/** How the provider describes itself. */
function description(issuer: string, algorithm: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [algorithm],
  };
}

/** Starts a provider. */
export async function startProvider(
  { algorithm = "ES256" }: { algorithm?: keyof typeof ALGORITHMS } = {},
): Promise<TestProvider> {
  const signer = await createSigner(algorithm);
  const codes: Codes = new Map();
  const key = { ...signer.jwk, kid: "one", alg: algorithm, use: "sig" };
  const answers: Record<string, (request: Request) => Response | Promise<Response>> = {
    "/.well-known/openid-configuration": () =>
      Response.json(description(provider.issuer, algorithm)),
    "/authorize": ({ url }) => authorize(provider, new URL(url), codes),
    "/token": async (request) => await answerTokens(provider, signer, await redeem(request, codes)),
    "/userinfo": () => Response.json({ sub: "person-1", ...provider.state.userinfo }),
    "/keys": () => Response.json({ keys: [key] }),
  };
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) =>
      answers[new URL(request.url).pathname]?.(request) ?? new Response(null, { status: 404 }),
  );
  const provider: TestProvider = {
    issuer: `http://127.0.0.1:${server.addr.port}`,
    state: { claims: {}, userinfo: {}, forged: false, redirect: () => {} },
    asked: [],
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
  return provider;
}
