/**
 * `cli events listeners …`: the names under which programs listen, and what signs their events.
 *
 * @module
 */

import { argument, command, group } from "../../words/command.ts";
import { dataFlag } from "../../local/local_service.ts";
import type { Column } from "../../screen/output.ts";
import { askAbout, confirmFlags, showList, showOne } from "../../words/plain.ts";
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

const NAME = "The listener's name, as --name of cli events listen";

const list = command({
  brief: "List the names that cli events listen was run with",
  details: "With how many events wait for each, of any type.",
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
  details: "A cli events listen that runs goes on with the old one until it is started again.",
  args: { name: argument(NAME) },
  flags: { ...confirmFlags, ...dataFlag },
  async run(context, { name, data, ...input }) {
    const simulator = await openSimulator(context, data);
    await askAbout(context, input, async () => {
      // The service's 404 comes first where no listener has that name.
      await getListenerSecret(simulator, name);
      return `Replace the signing secret of the listener ${name}`;
    }, simulator.project);
    showOne(context, await rotateListenerSecret(simulator, name));
  },
});

const remove = command({
  brief: "Delete a listener and its place",
  details: "A cli events listen that runs under that name ends. The next one begins then, with " +
    "another signing secret.",
  args: { name: argument(NAME) },
  flags: { ...confirmFlags, ...dataFlag },
  async run(context, { name, data, ...input }) {
    const simulator = await openSimulator(context, data);
    await askAbout(context, input, async () => {
      // The service's 404 comes first where no listener has that name.
      await getListenerSecret(simulator, name);
      return `Delete the listener ${name} and its place`;
    }, simulator.project);
    showOne(context, await deleteListener(simulator, name));
  },
});

/** Listeners. */
export const listeners = group("Names under which programs listen, and their secrets", [], {
  list,
  secret,
  "rotate-secret": rotateSecret,
  delete: remove,
});
