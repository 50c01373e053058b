import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { dirname, join } from "node:path";
import { type FoundCredential, resolveCredential } from "../../lib/auth/credential.ts";
import { saveProfile, setActive } from "../../lib/auth/store.ts";
import { AuthError, ConfigError, UsageError } from "../../lib/errors.ts";
import {
  profileNamed,
  putPrivate,
  type TestMachine,
  testMachine,
} from "../support/token_service.ts";

const PLACES = ["env", "flag", "local", "variable", "active", "default"] as const;

/** Stores a profile for each place, and the sign-in of a local file. */
async function store(machine: TestMachine): Promise<void> {
  for (const name of ["flag", "variable", "active", "default"]) {
    await saveProfile(machine, profileNamed(name));
  }
}

/** The local file of the folder above the working folder. */
function localFile(machine: TestMachine): string {
  return join(dirname(machine.cwd), ".cli", "config.json");
}

/** What a find says it is, short. */
function title(found: FoundCredential | undefined): string | undefined {
  return found && (found.name ?? { environment: "env", local: "local" }[String(found.kind)]);
}

Deno.test("the sign-in comes from the first place that has one", async () => {
  await using machine = await testMachine();
  await store(machine);
  const path = join(machine.home, ".cli", "config.json");
  const all = JSON.parse(await Deno.readTextFile(path)).profiles;
  const { name: _, ...token } = profileNamed("local");
  for (let present = 0; present < 2 ** PLACES.length; present++) {
    const there = PLACES.filter((_, i) => present & (1 << i));
    const has = (place: typeof PLACES[number]) => there.includes(place);
    const profiles = Object.fromEntries(
      Object.entries(all).filter(([name]) => there.some((place) => place === name)),
    );
    await putPrivate(path, { profiles });
    delete machine.variables.CLI_REFRESH_TOKEN;
    delete machine.variables.CLI_PROFILE;
    if (has("env")) machine.variables.CLI_REFRESH_TOKEN = "rtk_from_environment";
    if (has("variable")) machine.variables.CLI_PROFILE = "variable";
    await putPrivate(localFile(machine), has("local") ? { profile: token } : {});
    await putPrivate(join(machine.home, ".cli", "active"), has("active") ? "active" : "");
    const options = has("flag") ? { profile: "flag" } : {};
    machine.warnings.length = 0;
    const found = await resolveCredential(machine, { ...options, withShadows: true });
    const label = there.join(" ");
    // Only one of the profiles can apply: the others are choices, not shadowed.
    const named = (["flag", "variable"] as const).find(has);
    const standing = (["active", "default"] as const).find(has);
    const order = [has("env") && "env", named, has("local") && "local", !named && standing]
      .filter((place) => typeof place === "string");
    deepStrictEqual([title(found), ...found?.shadows.map(title) ?? []], [
      order[0],
      ...order.slice(1),
    ], label);
    strictEqual(title(await resolveCredential(machine, options)), order[0], label);
    strictEqual(machine.warnings.length, has("env") && has("flag") ? 2 : 0, label);
  }
});

Deno.test("a found sign-in shows its source and no token", async () => {
  await using machine = await testMachine();
  await store(machine);
  await setActive(machine, "active");
  const scope = "project_configuration:apps:read";
  const base_url = "http://127.0.0.1:9";
  await saveProfile(machine, profileNamed("active", { scope, base_url }));
  const found = await resolveCredential(machine);
  const { open, scopeAt: _, ...shown } = found ?? {};
  strictEqual(typeof open, "function");
  deepStrictEqual(shown, {
    kind: "profile",
    source: join(machine.home, ".cli", "config.json"),
    name: "active",
    chosenBy: "active",
    baseUrl: base_url,
    clientId: undefined,
    expiresAtMs: profileNamed("x").expires_at_ms,
    scope,
    preview: "atk_…tive",
    shadows: [],
    signIn: "cli auth login --name active",
  });
  ok(!JSON.stringify(found).includes("of_profile"));
  machine.variables.CLI_REFRESH_TOKEN = " rtk_from_environment\n";
  strictEqual((await resolveCredential(machine))?.preview, "rtk_…ment");
  machine.variables.CLI_REFRESH_TOKEN = "rtk_short";
  strictEqual((await resolveCredential(machine))?.preview, "[hidden]");
});

Deno.test("an empty variable counts as unset, an empty token from a program is refused", async () => {
  await using machine = await testMachine();
  machine.variables.CLI_REFRESH_TOKEN = "";
  machine.variables.CLI_PROFILE = "  ";
  strictEqual(await resolveCredential(machine), undefined);
  await rejects(resolveCredential(machine, { refreshToken: " " }), UsageError);
  const found = await resolveCredential(machine, { refreshToken: "rtk_given_by_program" });
  deepStrictEqual([found?.kind, found?.source], ["option", "refreshToken"]);
});

Deno.test("an unknown profile is refused with a list of the existing ones", async () => {
  await using machine = await testMachine();
  await store(machine);
  const missing = (error: unknown) => {
    ok(error instanceof AuthError);
    match(error.message, /"gone": stored are "flag", "variable", "active", "default"$/);
    match(error.hint ?? "", /cli auth login --name gone$/);
    return true;
  };
  await rejects(resolveCredential(machine, { profile: "gone" }), missing);
  machine.variables.CLI_PROFILE = "gone";
  await rejects(resolveCredential(machine), missing);
  const { name: _, ...token } = profileNamed("local");
  await putPrivate(localFile(machine), { profile: token });
  await rejects(resolveCredential(machine, { withShadows: true }), missing);
});

Deno.test("CLI_PROFILE has the effect of --profile, even in a folder with its own sign-in", async () => {
  await using machine = await testMachine();
  await store(machine);
  const { name: _, ...token } = profileNamed("local");
  await putPrivate(localFile(machine), { profile: token });
  machine.variables.CLI_PROFILE = "default";
  const named = await resolveCredential(machine);
  deepStrictEqual([named?.name, named?.chosenBy], ["default", "CLI_PROFILE"]);
  strictEqual((await resolveCredential(machine, { profile: "flag" }))?.name, "flag");
  deepStrictEqual(machine.warnings, []);
});

Deno.test("without a sign-in in the local file, the profile applies", async () => {
  await using machine = await testMachine();
  await store(machine);
  await putPrivate(localFile(machine), { project_id: "proj_1", profile: null });
  strictEqual((await resolveCredential(machine))?.name, "default");
});

Deno.test("a stale active mark falls back to the default profile and is removed", async () => {
  await using machine = await testMachine();
  await store(machine);
  await putPrivate(join(machine.home, ".cli", "active"), "gone\n");
  strictEqual((await resolveCredential(machine))?.chosenBy, "default");
  strictEqual((await resolveCredential(machine))?.chosenBy, "default");
  deepStrictEqual(machine.warnings.length, 1);
});

Deno.test("a file that others can open stops the search, even where a later place has a sign-in", {
  ignore: Deno.build.os === "windows",
}, async () => {
  await using machine = await testMachine();
  await store(machine);
  const { name: _, ...token } = profileNamed("local");
  await putPrivate(localFile(machine), { profile: token });
  await Deno.chmod(localFile(machine), 0o640);
  await rejects(resolveCredential(machine), ConfigError);
  strictEqual((await resolveCredential(machine, { profile: "flag" }))?.name, "flag");
});
