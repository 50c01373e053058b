/**
 * `cli doctor`
 *
 * @module
 */

import { checkData } from "../checks/data.ts";
import { checkFiles } from "../checks/files.ts";
import { showFindings } from "../checks/finding.ts";
import { checkSignIn } from "../checks/check_sign_in.ts";
import { dataFlag } from "../local/local_service.ts";
import { DATABASE } from "../local/databases.ts";
import { command } from "../words/command.ts";

/** Checks everything that a command needs, and names remedies. */
export const doctor = command({
  brief: "Check files, sign-in, service, permissions and project",
  details:
    `With ${DATABASE} set and without --data, it reads that database instead of a data folder: ` +
    "its tables and the processes on it.",
  flags: dataFlag,
  async run(context, { data }) {
    const files = [...await checkFiles(context.around), ...await checkData(context, data)];
    showFindings(context, [...files, ...await checkSignIn(context, { whole: true })]);
  },
});

/** Looks at sign-ins only: `cli auth doctor`. */
export const authDoctor = command({
  brief: "Check the sign-in files and the current sign-in",
  async run(context) {
    const files = await checkFiles(context.around);
    showFindings(context, [...files, ...await checkSignIn(context, { whole: false })]);
  },
});
