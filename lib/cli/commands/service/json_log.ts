/**
 * `cli service start --log json`: everything on standard error is a JSON line.
 *
 * @module
 */

import type { Context } from "../../context.ts";

/** The context of a command whose notes and warnings are lines of the log. */
export async function logging(context: Context): Promise<Context> {
  const { logLine } = await import("../../../service/http/request_log.ts");
  const { out, around } = context;
  const say = (level: "info" | "warning") => (message: string) =>
    out.log(logLine(around.now(), level, { message }));
  const [note, warn] = [say("info"), say("warning")];
  return { ...context, out: { ...out, note, warn, done: note, live: () => {} } };
}
