/**
 * `cli simulate give` and `cli simulate spend`: a customer's virtual currencies.
 *
 * @module
 */

import { parseCount } from "../../input/input.ts";
import { dataFlag } from "../../local/local_service.ts";
import { openSimulator } from "../../local/simulator.ts";
import type { Column } from "../../screen/output.ts";
import { argument, type Command, command, text } from "../../words/command.ts";
import { showOne } from "../../words/plain.ts";
import { changeBalances, type CurrencyBalance } from "../../../simulator/customers.ts";

const columns: Column<CurrencyBalance>[] = [
  { header: "code", value: ({ currency_code }) => currency_code, kind: "id" },
  { header: "name", value: ({ name }) => name },
  { header: "balance", value: ({ balance }) => balance },
];

/** The most of a currency that there can be. */
const MOST = 2_000_000_000;

/** Gives a customer some of a virtual currency. */
export const give = change("Give a customer some of a virtual currency", "Gave", 1);

/** Spends some of what a customer has. */
export const spend = change("Spend some of a customer's virtual currency", "Spent", -1);

function change(brief: string, done: string, sign: 1 | -1): Command {
  return command({
    brief,
    args: {
      user_id: argument("The customer's app user id"),
      code: argument("The currency's code"),
      amount: argument(`How much: 1 to ${MOST}`),
    },
    flags: {
      reference: text("What the transaction is for", { placeholder: "text" }),
      ...dataFlag,
    },
    async run(context, { user_id, code, amount, reference, data }) {
      const count = parseCount(amount, "the amount", { min: 1, max: MOST });
      const simulator = await openSimulator(context, data);
      const answer = await changeBalances(simulator, user_id, {
        adjustments: { [code]: sign * count },
        ...reference !== undefined && { reference },
      });
      if (context.out.format === "json") return showOne(context, answer);
      context.out.table(answer.items, columns, { empty: "The customer has no virtual currency." });
      context.out.done(`${done} ${count} ${code}`);
    },
  });
}
