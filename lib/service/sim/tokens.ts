/**
 * Tokens without a browser. The specification has no operations for them.
 *
 * @module
 */

import { z } from "zod";
import { issuedTokens } from "./answers.ts";
import { adminRoute } from "./route.ts";

const issueToken = adminRoute({
  name: "issueTokens",
  summary: "Issues tokens without a browser.",
  method: "POST",
  path: "/_sim/tokens",
  body: z.strictObject({
    account_email: z.string().min(1).optional(),
    scope: z.string().min(1).optional(),
    rotates: z.boolean().default(false),
    lifetime_ms: z.int().min(1000).optional(),
  }),
  response: issuedTokens,
  status: 201,
}, ({ oauth, body }) => {
  const { account_email, scope, rotates, lifetime_ms } = body();
  return oauth.issueToken({
    accountEmail: account_email,
    scope,
    rotates,
    lifetimeMs: lifetime_ms,
  });
});

/** The routes of tokens. */
export const tokenRoutes = [issueToken];
