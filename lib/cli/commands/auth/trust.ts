/**
 * `cli auth trust`
 *
 * @module
 */

import { DEFAULT_BASE_URL, serviceAddress } from "../../../address.ts";
import { isKnownFolder, requireHome, trustFolder } from "../../../config/folders.ts";
import { readLocal } from "../../../config/local.ts";
import { AuthError } from "../../../errors.ts";
import { command, toggle } from "../../words/command.ts";

/** Trusts the sign-in of the working folder. */
export const trust = command({
  brief: "Trust a folder's sign-in from another machine",
  details:
    "A .cli/config.json from an archive or another machine may send commands to a service of " +
    "someone else. The program uses it only after you confirm once.",
  flags: { yes: toggle("Skip the confirmation", { short: "y" }) },
  async run({ around, ask, out }, { yes }) {
    const local = await readLocal(around);
    if (!local?.profile) {
      throw new AuthError(
        "Cannot trust a folder's sign-in: no .cli/config.json here contains a sign-in",
        {
          hint: "See which sign-in applies: cli auth status",
        },
      );
    }
    const baseUrl = serviceAddress(local.profile.base_url ?? DEFAULT_BASE_URL);
    const known = await isKnownFolder(around, local, baseUrl);
    if (!known) {
      requireHome(around, local.path);
      const question = `Trust ${local.path}, and send commands here to ${baseUrl}?`;
      await ask.confirm(question, { flag: "-y", yes: yes === true });
      await trustFolder(around, local, baseUrl);
    }
    out.done(`Trusted the sign-in in ${local.path}`);
    if (out.format === "json") {
      out.json(JSON.stringify({ path: local.path, base_url: baseUrl, changed: !known }));
    }
  },
});
