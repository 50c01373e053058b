/**
 * The app that sends a request of an SDK: its key, its platform and its dialect.
 *
 * @module
 */

import { SdkRefusal } from "../contract/sdk_errors.ts";
import { type Dialect, spellingsOfKey } from "../contract/spelling.ts";
import { nextDueAt } from "../ledger/next_due.ts";
import { acrossProjects, inProject, type ProjectTx, type Tx } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";
import type { PresentProject } from "./project.ts";

/** An app and its project. */
export interface SdkCaller {
  /** The transaction, in the project. */
  tx: ProjectTx;
  /** The app. */
  app: Row<"apps">;
  /** The project. */
  project: PresentProject;
}

/** The credential of a request, with or without the word `Bearer`. */
export function keyIn(request: Request): string {
  return (request.headers.get("Authorization") ?? "").replace(/^Bearer\s+/i, "");
}

/**
 * The app of the request's public key, with or without the word `Bearer`.
 *
 * @throws {SdkRefusal} 401 for an unknown key, 403 for a secret.
 */
export async function callerOf(request: Request, whole: Tx): Promise<SdkCaller> {
  const key = keyIn(request);
  if (/^(sk|atk|rtk|adm)_/.test(key)) {
    const message = "This credential is secret and must not be in an app; use a public SDK key";
    throw new SdkRefusal(403, "secret_key", message);
  }
  // All projects: the key names the project.
  const row = await acrossProjects(whole).selectFrom("app_keys")
    .select(["project_id", "app_id"]).where("key", "in", spellingsOfKey(key)).executeTakeFirst();
  if (!row) {
    const message = key === ""
      ? "A public SDK key is required: send Authorization: Bearer <key>"
      : "The public SDK key is unknown";
    throw new SdkRefusal(401, "invalid_key", message, { "WWW-Authenticate": "Bearer" });
  }
  const tx = inProject(whole, row.project_id);
  const app = await tx.selectFrom("apps").selectAll().where("id", "=", row.app_id)
    .executeTakeFirstOrThrow();
  const project = await tx.selectFrom("projects").selectAll().select(nextDueAt)
    .executeTakeFirstOrThrow();
  return { tx, app, project };
}

/**
 * The dialect of the SDK. The public SDKs read only public names. Their keys or their version
 * header identify them. A key `svcb_…` means the service's own dialect.
 */
export function dialectFor(request: Request, dialect: Dialect): Dialect {
  const key = keyIn(request);
  if (key.startsWith("svcb_")) return dialect;
  const isPublic = /^(rcb|test)_/.test(key) || request.headers.has("X-Version");
  return isPublic ? "public" : dialect;
}

const PLATFORMS = new Set(
  "ios ipados macos tvos watchos visionos android amazon stripe roku paddle web".split(" "),
);

/**
 * The platform named by a request. The key identifies the app.
 *
 * @throws {SdkRefusal} 400 for an unknown platform.
 */
export function platformIn(request: Request): string | null {
  const platform = request.headers.get("X-Platform");
  if (platform === null || PLATFORMS.has(platform.toLowerCase())) {
    return platform?.toLowerCase() ?? null;
  }
  throw new SdkRefusal(400, "invalid_platform", `Unknown platform ${JSON.stringify(platform)}`);
}
