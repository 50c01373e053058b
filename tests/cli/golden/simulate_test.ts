import { type Counter, openCounter } from "../../support/cli_fixture.ts";
import { matchScreen, shown } from "../../support/screen.ts";

/** The output at 80 columns. New ids are replaced by `$a`, `$b` and so on. */
const SESSIONS: Record<string, string[]> = {
  simulate: [
    "clock show",
    "clock freeze",
    "simulate price notes_web_monthly 9.90 --currency EUR --trial-duration 7d",
    "simulate purchase zoe notes_web_monthly --trial",
    "clock advance P3M",
    "simulate events --user-id nobody",
    "simulate fail $a",
    "clock advance 40d",
    "clock show",
    "simulate recover $a",
    "simulate purchase '東京 👩‍👩‍👧' notes.pro.lifetime --price 99",
    "simulate refund $b",
    "simulate refund $b",
    "simulate refund $b --keep-access",
    "simulate alias zoe zack",
    "virtual-currencies create --code GEM --name Gems",
    "simulate give zoe GEM 100 --reference welcome",
    "simulate spend zoe GEM 30",
    "simulate spend zoe GEM 71",
    "simulate test-store 'Test store'",
    "simulate purchase zoe nope",
    "simulate purchase zoe notes.pro.monthly --price free",
    "simulate pause $a --for 1w",
    "clock advance",
    "clock advance --to 2026-02-01",
    "clock run",
    "clock cancel",
  ],
  subscription_deeds: [
    "clock freeze",
    "simulate purchase zoe notes.pro.monthly --price 9.99",
    "simulate renew $a",
    "simulate cancel $a",
    "simulate cancel $a",
    "simulate uncancel $a",
    "simulate extend $a --by 30d",
    "simulate extend $a",
    "simulate raise-price $a 10.99",
    "simulate agree-to-price $a",
    "simulate change-product $a notes.pro.annual --price 59.90 --at-period-end",
    "simulate change-product $a notes.pro.annual --price 59.90",
    "simulate family-share $b yves",
    "simulate refund $b",
    "simulate reverse-refund $b",
    "subscribers refund $b nope -y",
    "simulate expire $b --reason BILLING_ERROR",
    "simulate expire $b",
    "simulate purchase zoe notes_pro:monthly --price 4.99",
    "simulate pause $d --for P2M",
    "simulate resume $d",
    "simulate refund-window 14",
    "simulate restore-behavior share",
    "simulate restore-behavior lend",
    "simulate pay-invoice nope",
    "simulate events --limit 1",
    "simulate event nope",
  ],
  subscriptions: [
    "simulate purchase zoe notes_web_monthly --price 9.90 --currency EUR",
    "simulate purchase zoe notes.pro.lifetime --price 99",
    "clock freeze",
    "clock advance P1Y",
    "subscriptions view $a",
    "subscriptions transactions $a",
    "subscriptions transactions $a --limit 1",
    "subscriptions entitlements $a",
    "subscriptions management-url $a",
    "subscriptions search nope",
    "subscriptions cancel $a",
    "subscriptions cancel $a -y",
    "subscriptions refund $a -y",
    "subscriptions refund $a -y",
    "subscriptions view nope",
    "purchases view $b",
    "purchases entitlements $b",
    "purchases search nope",
    "purchases refund $b -y",
    "purchases view nope",
    "subscribers invoices zoe --limit 1",
    "invoices view $c",
    "invoices view nope",
  ],
};

for (const [name, lines] of Object.entries(SESSIONS)) {
  Deno.test(`cli ${name} and related commands at 80 columns match the reviewed text`, async () => {
    await using counter = await openCounter({ columns: 80 });
    counter.desk.env.CLI_SERVICE_ADMIN_SECRET = counter.desk.service.adminSecret;
    let text = "";
    for (const line of lines) {
      const ran = await counter.run(line);
      learnId(counter, ran.out);
      text += shown(line, ran);
    }
    await matchScreen(name, text);
  });
}

/** Names a new id of a purchase or an invoice. */
function learnId({ ids }: Counter, out: string): void {
  const known = ["$a", "$b", "$c", "$d"].find((name) => ids[name] === undefined);
  const [id] = /(?<=^id +|^)(sub|purc|svcbin)[0-9a-f]{10,}/m.exec(out) ?? [];
  if (known && id !== undefined && !Object.values(ids).includes(id)) ids[known] = id;
}
