/**
 * The table of commands in the specification of the client, as data: a witness that is not the code.
 *
 * @module
 */

/** A row of the specification: a command, its arguments and its flags. */
export type Row = [command: string, args: string, flags?: string];

/** The groups of the specification: their aliases and commands, copied from spec/client.md. */
export const SPECIFIED: Record<string, { aliases: string[]; rows: Row[] }> = {
  projects: {
    aliases: ["proj"],
    rows: [["list", ""], ["view", "[id]"], ["create", "", "--name!"]],
  },
  apps: {
    aliases: [],
    rows: [
      ["list", ""],
      ["view", "<id>"],
      ["public-keys", "<app-id>"],
      ["storekit-config", "<app-id>"],
      ["create", "", "--type --bundle --package --name --file"],
      ["update", "<app-id>", "--name --file"],
      ["delete", "<app-id>", "-y --confirm"],
    ],
  },
  subscribers: {
    aliases: ["customers", "subs"],
    rows: [
      ["list", ""],
      ["info", "<user-id>"],
      ["create", "<user-id>", "-f --file"],
      ["delete", "<user-id>", "-y --confirm"],
      ["transfer", "<src-user-id> <dst-user-id>", "-y --confirm"],
      ["grant", "<user-id> <entitlement>", "-d --duration! -y --confirm"],
      ["revoke", "<user-id> <entitlement>", "-y --confirm"],
      ["invoices", "<user-id>"],
      ["attributes", "<user-id>", "--set... --file"],
      ["refund", "<subscription-id> <transaction-id>", "-y --confirm"],
    ],
  },
  entitlements: {
    aliases: ["ent"],
    rows: [
      ["list", ""],
      ["view", "<id>"],
      ["products", "<id>"],
      ["create", "", "--id --display-name -f --file"],
      ["update", "<id>", "--display-name -f --file"],
      ["delete", "<id>", "-y --confirm"],
      ["archive", "<id>"],
      ["unarchive", "<id>"],
      ["attach", "<id> <product-id>..."],
      ["detach", "<id> <product-id>..."],
    ],
  },
  offerings: {
    aliases: ["offer"],
    rows: [
      ["list", ""],
      ["view", "<id>", "--packages"],
      ["create", "", "--id --display-name -f --file"],
      ["update", "<id>", "--display-name -f --file"],
      ["delete", "<id>", "-y --confirm"],
      ["archive", "<id>"],
      ["unarchive", "<id>"],
      ["set-current", "<id>"],
      ["preview", "[offering-id]", "--app-id --as --platform"],
    ],
  },
  packages: {
    aliases: ["pkg"],
    rows: [
      ["list", "", "-o --offering"],
      ["view", "<id>"],
      ["create", "<offering>", "--id --display-name --position -f --file"],
      ["update", "<id>", "-f --file"],
      ["delete", "<id>", "-y --confirm"],
      ["products", "<id>"],
      ["attach", "<pkg-id> <product-id>...", "--eligibility"],
      ["detach", "<id> <product-id>..."],
    ],
  },
  products: {
    aliases: ["prod"],
    rows: [
      ["list", ""],
      ["view", "<id>"],
      ["create", "", "-f --file"],
      ["update", "<id>", "--display-name -f --file"],
      ["delete", "<id>", "-y --confirm"],
      ["archive", "<id>"],
      ["unarchive", "<id>"],
      ["push-to-store", "<id>"],
    ],
  },
  paywalls: {
    aliases: [],
    rows: [
      ["list", ""],
      ["view", "<id>"],
      ["create", "", "--offering -f --file"],
      ["delete", "<id>", "-y --confirm"],
    ],
  },
  publish: {
    aliases: [],
    rows: [["offering", "<id>", "--paywall --current --no-current --dry-run -y --confirm"]],
  },
  subscriptions: {
    aliases: ["sub"],
    rows: [
      ["view", "<id>"],
      ["transactions", "<id>"],
      ["entitlements", "<id>"],
      ["management-url", "<id>"],
      ["search", "<store-id>"],
      ["cancel", "<id>", "-y --confirm"],
      ["refund", "<id>", "-y --confirm"],
    ],
  },
  purchases: {
    aliases: ["purchase"],
    rows: [
      ["view", "<id>"],
      ["entitlements", "<id>"],
      ["search", "<store-id>"],
      ["refund", "<id>", "-y --confirm"],
    ],
  },
  invoices: { aliases: [], rows: [["view", "<id>"]] },
  "audit-logs": { aliases: ["audit"], rows: [["list", ""]] },
  collaborators: { aliases: ["members"], rows: [["list", ""]] },
  metrics: { aliases: [], rows: [["overview", ""]] },
  charts: {
    aliases: [],
    rows: [
      ["get", "<chart-name>", "--filter... --start --end --period"],
      ["options", "<chart-name>"],
    ],
  },
  "virtual-currencies": {
    aliases: ["vc"],
    rows: [
      ["list", ""],
      ["view", "<code>"],
      ["create", "", "--code --name --description -f --file"],
      ["update", "<code>", "--name --description -f --file"],
      ["delete", "<code>", "-y --confirm"],
      ["archive", "<code>"],
      ["unarchive", "<code>"],
    ],
  },
  webhooks: {
    aliases: [],
    rows: [
      ["list", ""],
      ["view", "<id>"],
      ["create", "", "--name --url --events -f --file"],
      ["update", "<id>", "--name --url --events -f --file"],
      ["delete", "<id>", "-y --confirm"],
    ],
  },
  auth: {
    aliases: [],
    rows: [
      ["login", "", "--client-id -n --name --no-verify --scope..."],
      ["status", "", "-n --name --validate"],
      ["list", ""],
      ["use", "<profile>"],
      ["logout", "[profile]", "--all -y --yes"],
      ["doctor", ""],
    ],
  },
  init: {
    aliases: [],
    rows: [["", "", "--project-id --app-id... --no-apps --no-local-creds --force --path"]],
  },
  doctor: { aliases: [], rows: [["", ""]] },
  version: { aliases: [], rows: [["", ""]] },
};

/** Commands that may still be missing. */
export const COMING = new Set<string>([]);
