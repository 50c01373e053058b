/**
 * `cli events listeners …`: the names under which programs listen, and what signs their events.
 *
 * @module
 */

import type { Client } from "../../../client.ts";
import type { Page } from "../../../page.ts";
import { path } from "../../../path.ts";
import { argument, command, group } from "../../words/command.ts";
import { dataFlag } from "../../local/local_service.ts";
import type { Column } from "../../screen/output.ts";
import { askAbout, confirmFlags, showList, showOne } from "../../words/plain.ts";
import { openSimulator } from "../../local/simulator.ts";

/** A name under which programs listen. */
interface Listener {
  /** The name. */
  name: string;
  /** When it was first used, in milliseconds since 1970. */
  created_at: number;
  /** How many events it has not got yet. */
  waiting: number;
}

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
    const { client, project } = await openSimulator(context, data);
    const place = path`/_sim/projects/${project}/listeners`;
    await showList<Listener>(
      { ...context, client: () => Promise.resolve(client) },
      {},
      () => client.get<Page<Listener>>(place),
      columns,
    );
  },
});

const secret = command({
  brief: "Show the signing secret of a listener",
  args: { name: argument(NAME) },
  flags: dataFlag,
  async run(context, { name, data }) {
    const { client, project } = await openSimulator(context, data);
    const place = path`/_sim/projects/${project}/listeners/${name}/secret`;
    showOne(context, await client.get<object>(place));
  },
});

/** Throws the service's 404 where no listener has that name. */
async function checkThere(client: Client, project: string, name: string): Promise<void> {
  await client.get<object>(path`/_sim/projects/${project}/listeners/${name}/secret`);
}

const rotateSecret = command({
  brief: "Replace the signing secret of a listener",
  details: "A cli events listen that runs goes on with the old one until it is started again.",
  args: { name: argument(NAME) },
  flags: { ...confirmFlags, ...dataFlag },
  async run(context, { name, data, ...input }) {
    const { client, project } = await openSimulator(context, data);
    await askAbout(context, input, async () => {
      await checkThere(client, project, name);
      return `Replace the signing secret of the listener ${name}`;
    }, project);
    const place = path`/_sim/projects/${project}/listeners/${name}/rotate_secret`;
    showOne(context, await client.post<object>(place));
  },
});

const remove = command({
  brief: "Delete a listener and its place",
  details: "A cli events listen that runs under that name ends. The next one begins then, with " +
    "another signing secret.",
  args: { name: argument(NAME) },
  flags: { ...confirmFlags, ...dataFlag },
  async run(context, { name, data, ...input }) {
    const { client, project } = await openSimulator(context, data);
    await askAbout(context, input, async () => {
      await checkThere(client, project, name);
      return `Delete the listener ${name} and its place`;
    }, project);
    showOne(
      context,
      await client.delete<object>(path`/_sim/projects/${project}/listeners/${name}`),
    );
  },
});

/** Listeners. */
export const listeners = group("Names under which programs listen, and their secrets", [], {
  list,
  secret,
  "rotate-secret": rotateSecret,
  delete: remove,
});
