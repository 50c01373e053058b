/**
 * `cli offerings preview`: the offerings as an app receives them.
 *
 * @module
 */

import { choice, command, optionalArgument, text } from "../../words/command.ts";

/** The platforms of apps. */
export const PLATFORMS = ["ios", "android", "web"] as const;

/** Shows the offerings as an app receives them. */
export const preview = command({
  brief: "Preview the offerings as an app receives them",
  details:
    "Reads with the first public SDK key of the app. Without --app-id it uses the only app of " +
    "the platform; apps tagged in cli.toml come first. It always reads all offerings; an " +
    "offering's id only selects the output.",
  examples: [
    "cli offerings preview",
    "cli offerings preview winter_sale --platform android",
    "cli offerings preview --app-id app1a2b3c4d5e --as ada --output json",
  ],
  args: { offering_id: optionalArgument("The offering's lookup key or id (default: all)") },
  flags: {
    app_id: text("The app (default: the only one of the platform)", { placeholder: "id" }),
    as: text("The app user id to read with (default: cli_preview_ and the time)", {
      placeholder: "user_id",
    }),
    platform: choice("The platform (default: ios)", PLATFORMS),
  },
  async run(context, input) {
    const { showPreview } = await import("./show_preview.ts");
    await showPreview(context, input);
  },
});
