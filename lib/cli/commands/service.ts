/**
 * `cli service …`: the local service.
 *
 * @module
 */

import { askFirst, confirmFlags } from "../words/plain.ts";
import { command, group, text, texts, toggle } from "../words/command.ts";
import { adminClient, dataFlag, sameData } from "../local/local_service.ts";
import { onlyFolder } from "../local/databases.ts";
import { account } from "./service/account.ts";
import { check } from "./service/check.ts";
import { clients } from "./service/client.ts";
import { backup } from "./service/backup.ts";
import { migrate } from "./service/migrate.ts";
import { populate } from "./service/populate.ts";
import { restore } from "./service/restore.ts";
import { snapshot } from "./service/snapshot.ts";
import { start } from "./service/start.ts";
import { status } from "./service/status.ts";
import { issueTokens } from "../../simulator/service.ts";

const YEAR_MS = 365 * 86_400_000;

const token = command({
  brief: "Make a refresh token for CI and scripts",
  details: "The token does not rotate, so you can keep it in CLI_REFRESH_TOKEN and use it on " +
    "several machines. With --rotating each use replaces it.",
  flags: {
    account: text("The account it acts for (default: the owner)", { placeholder: "email" }),
    scope: texts("The permissions (default: all)", { placeholder: "scope" }),
    rotating: toggle("Replace it on each use"),
    ...dataFlag,
  },
  hint: ({ status }) =>
    status === 404 ? "See the accounts with: cli service account list" : undefined,
  async run(context, { account, scope, rotating, data }) {
    const client = await adminClient(context, data);
    const pair = await issueTokens(client, {
      ...account !== undefined && { account_email: account },
      ...scope.length > 0 && { scope: scope.join(" ") },
      rotates: rotating === true,
      // A rotating token is renewed with each use; a permanent one has to last.
      ...rotating !== true && { lifetime_ms: YEAR_MS },
    });
    const { refresh_token } = pair;
    if (context.out.format === "json") {
      const facts = { refresh_token, scope: pair.scope, rotates: rotating === true };
      return context.out.json(JSON.stringify({ ...facts, base_url: client.baseUrl }));
    }
    context.out.text(refresh_token);
    context.out.note(
      rotating
        ? "This token rotates: use it on one machine only, which stores each replacement."
        : "This token does not rotate and expires in a year. Keep it in CLI_REFRESH_TOKEN; it " +
          "is shown only once.",
    );
  },
});

const reset = command({
  brief: "Delete the local service's data",
  details: "Snapshots and the admin secret stay.",
  flags: { ...dataFlag, ...confirmFlags },
  async run(context, { data, ...input }) {
    const folder = onlyFolder(context, data, "delete the data");
    const { checkDataFolder, resetFolder } = await import("../../service/store/data_folder.ts");
    const { countSnapshots } = await import("../../service/store/snapshots.ts");
    await checkDataFolder(folder);
    const snapshots = await countSnapshots(folder);
    await askFirst(context, input, `Delete all data of the local service in ${folder}?`);
    await resetFolder(folder);
    context.out.done(`Deleted the data in ${folder}; the next start creates new data`);
    if (snapshots > 0) {
      const where = sameData(data);
      context.out.note(`Snapshots stay: ${snapshots}. See: cli service snapshot list${where}`);
    }
    if (context.out.format === "json") {
      context.out.json(JSON.stringify({ reset: true, data: folder, snapshots }));
    }
  },
});

/** The local service. */
export const service = group("The local service on this machine", [], {
  start,
  status,
  token,
  account,
  client: clients,
  backup,
  restore,
  snapshot,
  migrate,
  check,
  populate,
  reset,
});
