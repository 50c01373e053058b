/**
 * The tests of subscriptions and money, in one program.
 *
 * @module
 */

import { importTests } from "../support/import_tests.ts";

await importTests("service/domain", "service/ledger", "service/reports", "service/seed");
