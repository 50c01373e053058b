/**
 * An OpenID Connect provider from npm, which a browser signs in to. It knows everybody, and asks for
 * consent.
 *
 * @module
 */

import { createServer, type RequestListener } from "node:http";
import { CLIENT } from "../support/provider.ts";

/** A provider that waits to be told where the service is. */
export interface IndependentProvider extends AsyncDisposable {
  /** Its issuer identifier. */
  issuer: string;
  /** Lets the service of an address be its client. */
  open(origin: string): void;
}

/** Starts the provider. */
export async function startIndependentProvider(): Promise<IndependentProvider> {
  const { default: Provider } = await import("oidc-provider");
  let answer: RequestListener = (_request, response) => void response.writeHead(503).end();
  const server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("no port");
  const issuer = `http://127.0.0.1:${address.port}`;
  return {
    issuer,
    open(origin) {
      const provider = new Provider(issuer, {
        clients: [{
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: [`${origin}/oauth2/authorize/callback`],
        }],
        claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
        pkce: { required: () => true },
        findAccount: (_context: unknown, id: string) => ({
          accountId: id,
          claims: () => ({
            ...{ sub: id, email: `${id}@example.com`, email_verified: true },
            name: "Olivia Owner",
          }),
        }),
        cookies: { keys: ["a key of the test"] },
      });
      answer = provider.callback();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
