/**
 * Changes of a customer's virtual currencies.
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

/** The largest balance of a currency. */
const MOST = 2_000_000_000;

/** Makes a command that changes a customer's balance of a currency. */
export function change(brief: string, done: string, sign: 1 | -1): Command {
  return command({
    brief,
    args: {
      user_id: argument("The customer's app user id"),
      code: argument("The currency's code"),
      amount: argument(`The amount: 1 to ${MOST}`),
    },
    flags: {
      reference: text("The reason for the transaction", { placeholder: "text" }),
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
