/**
 * Commands that act on a subscription.
 *
 * @module
 */

import type { Subscription } from "../../../resources/subscriptions.ts";
import {
  type Argument,
  argument,
  type Arguments,
  type Command,
  command,
  type Flags,
  type Input,
} from "../../words/command.ts";
import { dataFlag } from "../../local/local_service.ts";
import { openSimulator } from "../../local/simulator.ts";
import { showResult } from "./result.ts";
import type { Simulator } from "../../../simulator/simulator.ts";

/** An action on a subscription. */
interface Action<A, F, Body> {
  /** Sends it to the simulator. */
  send(simulator: Simulator, id: string, body: Body): Promise<Subscription>;
  /** More details, for the help text. */
  details?: string;
  /** Example command lines, for the help text. */
  examples?: readonly string[];
  /** Values given by position, after the subscription's id. */
  args?: A;
  /** Its flags. */
  flags?: F;
  /** The body of the request. Default: none. */
  body?(input: Input<A, F>): Body;
  /** The result, for display: "Renewed". */
  done(input: Input<A, F>): string;
}

/** Makes the command of an action. */
export function act<
  A extends Arguments = Record<never, never>,
  F extends Flags = Record<never, never>,
  Body extends object = Record<never, never>,
>(brief: string, action: Action<A, F, Body>): Command {
  const { details, examples } = action;
  return command<{ subscription_id: Argument<string> }, typeof dataFlag>({
    brief,
    details,
    examples,
    args: { subscription_id: argument("The subscription's id"), ...action.args },
    flags: { ...action.flags, ...dataFlag },
    async run(context, input) {
      const { subscription_id: id, data } = input;
      // The parser has read the values of the action's own arguments and flags as well.
      const own = input as Input<A, F>;
      const body = action.body?.(own) ?? {} as Body;
      const after = await action.send(await openSimulator(context, data), id, body);
      showResult(context, data, after, action.done(own));
    },
  });
}
