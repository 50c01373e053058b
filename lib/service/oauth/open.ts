/**
 * Opens signing in without its code, which is loaded for the first request that needs it: a start
 * waits for none of it.
 *
 * @module
 */

import type { OAuth, OAuthOptions } from "./mod.ts";

/**
 * Sets up signing in. What a person chose for it is checked at once.
 *
 * @throws {UsageError} when the provider's issuer, or an entry of who may come in, is not one.
 */
export async function openOAuth(options: OAuthOptions): Promise<OAuth> {
  if (options.signIn) return (await import("./mod.ts")).createOAuth(options);
  let loaded: OAuth | undefined;
  let loading: Promise<OAuth> | undefined;
  const make = async () => {
    try {
      const { createOAuth } = await import("./mod.ts");
      return loaded = createOAuth(options);
    } catch (error) {
      loading = undefined;
      throw error;
    }
  };
  const load = () => loading ??= make();
  return {
    authenticate: (token) =>
      loaded ? loaded.authenticate(token) : load().then((oauth) => oauth.authenticate(token)),
    routes: async () => await (await load()).routes(),
    issueToken: async (wanted) => await (await load()).issueToken(wanted),
    // Before it is loaded, it remembers no token.
    forget: (grantIds) => loaded?.forget(grantIds),
    way: "open",
    addPasswordLink: async (tx, accountId, asked) =>
      await (await load()).addPasswordLink(tx, accountId, asked),
  };
}
