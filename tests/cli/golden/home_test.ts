import { matchGolden, steadyIds } from "../../support/golden.ts";
import { allow, BASE_URL, type Home, openHome } from "../../support/home_fixture.ts";
import { shown } from "../../support/screen.ts";

/** The output on a machine from the first sign-in to the last sign-out. */
const SESSION = [
  "auth status",
  "auth list",
  "offerings list",
  "auth login",
  "auth login -n work",
  "auth list",
  "auth status",
  "auth status --validate",
  "auth use default",
  "auth use nope",
  "auth doctor",
  "init",
  "init --project-id $project --no-apps",
  "init --project-id $project --no-apps",
  "auth status",
  "auth trust",
  "doctor",
  "offerings list --profile work",
  "auth logout work -y",
  "auth logout --all",
  "auth logout --all -y",
  "service status",
  "service token",
  "service account list",
  "service account remove nobody@example.com -y",
  "service client add acme-cli",
  "service client list",
  "service client remove acme-cli",
  "service reset",
];

Deno.test("a session from sign-in to sign-out matches the reviewed text", async () => {
  await using at = await openHome();
  let text = "";
  for (const line of SESSION) {
    const words = line.replace("$project", at.service.projectId ?? "");
    text += shown(line, await at.run(words, { browser: allow }));
  }
  await matchGolden("home", steadyIds(steady(text, at)));
});

/** The text without varying parts: folders, times, ends of tokens. */
function steady(text: string, { home, cwd }: Home): string {
  return text.replaceAll(cwd, "/code").replaceAll(home, "/home/olivia")
    .replace(/\S+\/oauth2\/authorize\?\S+/g, `${BASE_URL}/oauth2/authorize?…`)
    .replace(/\d{4}-\d\d-\d\d/g, "2026-01-31")
    .replace(/\d\d:\d\d:\d\d/g, "12:30:15")
    .replace(/\b([ar]tk_….{4})/g, (token) => `${token.slice(0, 5)}abcd`);
}
