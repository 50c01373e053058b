/**
 * `cli simulate test-store`.
 *
 * @module
 */

import { argument, command } from "../../words/command.ts";
import { dataFlag } from "../../local/local_service.ts";
import { showOne } from "../../words/plain.ts";
import { openSimulator, sameFlags } from "../../local/simulator.ts";
import { createTestStoreApp } from "../../../simulator/catalogue.ts";

/** Creates an app of the test store. */
export const testStore = command({
  brief: "Create an app of the test store",
  details:
    "In the test store a month lasts five minutes, and a subscription renews at most five times.",
  args: { name: argument("The app's name") },
  flags: dataFlag,
  async run(context, { name, data }) {
    const app = await createTestStoreApp(await openSimulator(context, data), { name });
    showOne(context, app);
    if (context.out.format === "json") return;
    const flags = sameFlags(context, undefined);
    const product = `{"app_id": "${app.id}", "store_identifier": "monthly", "title": "Monthly", ` +
      '"type": "subscription", "subscription": {"duration": "P1M"}}';
    context.out.note(
      `Add a product to it: echo '${product}' | cli products create --file -${flags}`,
    );
  },
});
