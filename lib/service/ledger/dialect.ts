/**
 * The dialect of stored events. Each start of the service sets it.
 *
 * @module
 */

import { type Dialect, publicEvent } from "../contract/spelling.ts";
import { fixed, type TextTx } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";

const SETTING = "dialect";

/** Sets the dialect of new events. */
export async function setDialect(tx: TextTx, value: Dialect): Promise<void> {
  // The same value is not written again: a commit without changes needs no disk.
  await fixed`insert into settings (name, value) values (${SETTING}, ${value})
    on conflict (name) do update set value = excluded.value
    where settings.value <> excluded.value`.execute(tx);
}

/** Events in the dialect. Most are the same in both. */
export async function spellEvents<E extends Pick<Row<"events">, "payload">>(
  tx: TextTx,
  events: readonly E[],
): Promise<readonly E[]> {
  if (!events.some(({ payload }) => /"SVC_BILLING"|"svc_promo_/.test(payload))) return events;
  const { rows: [row] } = await fixed<{ value: string }>`
    select value from settings where name = ${SETTING}`.execute(tx);
  if (row?.value !== "public") return events;
  return events.map((one) => {
    const { event, ...rest } = JSON.parse(one.payload);
    return { ...one, payload: JSON.stringify({ ...rest, event: publicEvent(event) }) };
  });
}
