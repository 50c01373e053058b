/**
 * The flags of `cli service start` that say who may come in, and how.
 *
 * @module
 */

import { ConfigError, UsageError } from "../../../errors.ts";
import type { ServeOptions } from "../../../service/serve.ts";
import type { SignInChoice } from "../../../service/oauth/mod.ts";
import type { Context } from "../../context.ts";
import { text, texts } from "../../words/command.ts";
import { SHORTEST_SECRET } from "./database.ts";

/** The flags. */
export const protectionFlags = {
  sign_in: text(
    "How people sign in: password, or oidc=ISSUER for an OpenID Connect provider. Without it, " +
      "whoever reaches the service can choose an account",
    { placeholder: "how" },
  ),
  sign_in_allow: texts(
    "With oidc: an e-mail address, or a domain such as @example.com, that may sign in (default: " +
      "the accounts added with cli service account add)",
    { placeholder: "who" },
  ),
  public_url: text("The address that browsers use (default: the one a request was sent to)", {
    placeholder: "url",
  }),
  tls_cert: text("A certificate in PEM, to speak TLS", { placeholder: "file" }),
  tls_key: text("The private key of --tls-cert", { placeholder: "file" }),
  trust_proxy: texts(
    "An address or network of a proxy whose X-Forwarded-For and X-Forwarded-Proto are used",
    { placeholder: "address" },
  ),
};

/** The values of the flags. */
export interface Protection {
  /** How people sign in. */
  sign_in?: string | undefined;
  /** Who may, at a provider. */
  sign_in_allow: readonly string[];
  /** The address that browsers use. */
  public_url?: string | undefined;
  /** The file of a certificate. */
  tls_cert?: string | undefined;
  /** The file of its key. */
  tls_key?: string | undefined;
  /** The proxies. */
  trust_proxy: readonly string[];
}

const CLIENT_ID = "CLI_SERVICE_OIDC_CLIENT_ID";
const CLIENT_SECRET = "CLI_SERVICE_OIDC_CLIENT_SECRET";
const METRICS_SECRET = "CLI_SERVICE_METRICS_SECRET";

/**
 * What the flags ask for.
 *
 * @throws {UsageError} when they do not fit together.
 * @throws {ConfigError} when the secret for the metrics is too short.
 */
export function protectionOf(
  context: Context,
  given: Protection,
): Pick<ServeOptions, "signIn" | "publicUrl" | "tls" | "proxies" | "metricsSecret"> {
  const { tls_cert, tls_key } = given;
  if ((tls_cert === undefined) !== (tls_key === undefined)) {
    const [there, missing] = tls_cert === undefined
      ? ["--tls-key", "--tls-cert"]
      : ["--tls-cert", "--tls-key"];
    throw new UsageError(`Cannot use ${there} without ${missing}`);
  }
  return {
    signIn: signInOf(context, given),
    publicUrl: given.public_url,
    proxies: given.trust_proxy,
    metricsSecret: metricsSecretOf(context),
    ...tls_cert !== undefined && tls_key !== undefined &&
      { tls: { certFile: tls_cert, keyFile: tls_key } },
  };
}

/** The secret for the metrics alone, if there is one. */
function metricsSecretOf({ around }: Context): string | undefined {
  const secret = around.env(METRICS_SECRET) || undefined;
  if (secret === undefined || secret.length >= SHORTEST_SECRET) return secret;
  throw new ConfigError(`Cannot start the service: ${METRICS_SECRET} is too short`, {
    hint: `Use at least ${SHORTEST_SECRET} characters, such as the output of: openssl rand -hex 32`,
  });
}

function signInOf(
  { around }: Context,
  { sign_in, sign_in_allow: allow }: Protection,
): SignInChoice | undefined {
  const [kind, issuer] = cut(sign_in ?? "");
  if (kind !== "oidc" && allow.length > 0) {
    throw new UsageError("Cannot use --sign-in-allow without --sign-in oidc=ISSUER");
  }
  if (sign_in === undefined) return undefined;
  if (sign_in === "password") return { kind: "password" };
  if (kind !== "oidc" || !issuer) {
    throw new UsageError(
      `Cannot sign people in with ${JSON.stringify(sign_in)}: --sign-in takes password or ` +
        "oidc=ISSUER, such as oidc=https://login.example.com",
    );
  }
  const clientId = around.env(CLIENT_ID);
  if (!clientId) {
    throw new UsageError(`Cannot sign people in at ${issuer}: ${CLIENT_ID} is not set`, {
      hint: "Register this service at the provider, with the redirect URI " +
        `ADDRESS/oauth2/authorize/callback. Then set ${CLIENT_ID} and ${CLIENT_SECRET}.`,
    });
  }
  return { kind: "oidc", issuer, clientId, clientSecret: around.env(CLIENT_SECRET), allow };
}

/** The parts of a text before and after its first `=`. */
function cut(text: string): [string, string | undefined] {
  const at = text.indexOf("=");
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
