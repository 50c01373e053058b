/**
 * The steps from an empty database to the present one, in order. A step that was released never
 * changes; a change to the tables is a new step at the end. The first step is not released yet, so
 * new columns still go into its files in `0001_start/`.
 *
 * @module
 */

import { sql as catalogue } from "./0001_start/catalogue.ts";
import { sql as currencies } from "./0001_start/currencies.ts";
import { sql as events } from "./0001_start/events.ts";
import { sql as holdings } from "./0001_start/holdings.ts";
import { sql as ledger } from "./0001_start/ledger.ts";
import { sql as passwords } from "./0001_start/passwords.ts";
import { sql as shared } from "./0001_start/shared.ts";
import { sql as signIn } from "./0001_start/sign_in.ts";

/** One step. Its number is its place in the list, from 1. */
export interface Migration {
  /** What the step brings. */
  name: string;
  /** The statements. */
  sql: string;
}

/** All steps. */
export const migrations: readonly Migration[] = [
  {
    name: "start",
    sql: [catalogue, signIn, passwords, holdings, currencies, ledger, events, shared].join("\n"),
  },
];
