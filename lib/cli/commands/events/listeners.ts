/**
 * `cli events listeners …`: the listeners and their signing secrets.
 *
 * @module
 */

import { argument, command, group } from "../../words/command.ts";
import { dataFlag } from "../../local/local_service.ts";
import type { Column } from "../../screen/output.ts";
import { askAbout, confirmFlags, showList, showOne } from "../../words/plain.ts";
import type { Context } from "../../context.ts";
import type { Consent } from "../../words/consent.ts";
import type { Simulator } from "../../../simulator/simulator.ts";
import { openSimulator } from "../../local/simulator.ts";
import {
  deleteListener,
  getListenerSecret,
  type Listener,
  listListeners,
  rotateListenerSecret,
} from "../../../simulator/listeners.ts";

const columns: Column<Listener>[] = [
  { header: "name", value: (listener) => listener.name, kind: "id" },
  { header: "waiting", value: (listener) => listener.waiting },
  { header: "created", value: (listener) => listener.created_at, kind: "time" },
];

const NAME = "The listener's name, as in cli events listen --name";

const list = command({
  brief: "List the listeners",
  details: "Shows the number of pending events of each, of any type.",
  flags: dataFlag,
  async run(context, { data }) {
    const simulator = await openSimulator(context, data);
    await showList<Listener>(
      { ...context, client: () => Promise.resolve(simulator.client) },
      {},
      () => listListeners(simulator),
      columns,
    );
  },
});

const secret = command({
  brief: "Show the signing secret of a listener",
  args: { name: argument(NAME) },
  flags: dataFlag,
  async run(context, { name, data }) {
    showOne(context, await getListenerSecret(await openSimulator(context, data), name));
  },
});

const rotateSecret = command({
  brief: "Replace the signing secret of a listener",
  details: "A running cli events listen uses the old secret until you restart it.",
  args: { name: argument(NAME) },
  flags: { ...confirmFlags, ...dataFlag },
  async run(context, { name, data, ...input }) {
    const simulator = await openSimulator(context, data);
    await askFor(
      context,
      input,
      simulator,
      name,
      `Replace the signing secret of the listener ${name}`,
    );
    showOne(context, await rotateListenerSecret(simulator, name));
  },
});

/** Asks before a change of a listener. The service's 404 comes first where none has that name. */
async function askFor(
  context: Context,
  consent: Consent,
  simulator: Simulator,
  name: string,
  deed: string,
): Promise<void> {
  await askAbout(context, consent, async () => {
    await getListenerSecret(simulator, name);
    return deed;
  }, simulator.project);
}

const remove = command({
  brief: "Delete a listener and its position",
  details:
    "A running cli events listen of that name ends. The next one starts at that time, with a " +
    "new signing secret.",
  args: { name: argument(NAME) },
  flags: { ...confirmFlags, ...dataFlag },
  async run(context, { name, data, ...input }) {
    const simulator = await openSimulator(context, data);
    await askFor(context, input, simulator, name, `Delete the listener ${name} and its position`);
    showOne(context, await deleteListener(simulator, name));
  },
});

/** Listeners. */
export const listeners = group(
  "Listeners, which keep the positions and secrets of cli events listen",
  [],
  {
    list,
    secret,
    "rotate-secret": rotateSecret,
    delete: remove,
  },
);
