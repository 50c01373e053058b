/**
 * `cli auth trust`
 *
 * @module
 */

import { serviceAddress } from "../../../address.ts";
import { DEFAULT_BASE_URL } from "../../../auth/renewal.ts";
import { isKnownFolder, requireHome, trustFolder } from "../../../config/folders.ts";
import { readLocal } from "../../../config/local.ts";
import { AuthError } from "../../../errors.ts";
import { command, toggle } from "../../words/command.ts";

/** Trusts the sign-in of the working folder. */
export const trust = command({
  brief: "Trust a folder's sign-in that was not made on this machine",
  details: "A .cli/config.json from an archive or another machine may send commands to somebody " +
    "else's service. It is used only after you have said yes once.",
  flags: { yes: toggle("Do not ask", { short: "y" }) },
  async run({ around, ask, out }, { yes }) {
    const local = await readLocal(around);
    if (!local?.profile) {
      throw new AuthError("Cannot trust a folder's sign-in: no .cli/config.json here has one", {
        hint: "See which sign-in applies: cli auth status",
      });
    }
    const baseUrl = serviceAddress(local.profile.base_url ?? DEFAULT_BASE_URL);
    const known = await isKnownFolder(around, local, baseUrl);
    if (!known) {
      requireHome(around, local.path);
      const question = `Trust ${local.path}, and send commands here to ${baseUrl}?`;
      await ask.confirm(question, { flag: "-y", yes: yes === true });
      await trustFolder(around, local, baseUrl);
    }
    out.done(`The sign-in in ${local.path} is trusted`);
    if (out.format === "json") {
      out.json(JSON.stringify({ path: local.path, base_url: baseUrl, changed: !known }));
    }
  },
});
