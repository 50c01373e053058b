/**
 * The catalogues of the demonstration project and of populations: a program for notes, a game, a
 * newspaper.
 *
 * @module
 */

import type { SeedCatalogue } from "./catalogue.ts";

const NOTES_IOS = {
  key: "ios",
  name: "Notes for iOS",
  type: "app_store",
  settings: { bundle_id: "com.example.notes" },
};

const MONTHLY = ["notes.pro.monthly", "notes_pro:monthly", "notes_web_monthly"];
const ANNUAL = ["notes.pro.annual", "notes_pro:annual", "notes_web_annual"];
const LIFETIME = ["notes.pro.lifetime", "notes_lifetime"];

/** A program for notes: monthly, annual, for life; on phones and on the web. */
export const NOTES: SeedCatalogue = {
  apps: [
    NOTES_IOS,
    {
      key: "android",
      name: "Notes for Android",
      type: "play_store",
      settings: { package_name: "com.example.notes" },
    },
    { key: "web", name: "Notes on the web", type: "svc_billing", settings: { app_name: "Notes" } },
  ],
  products: [
    ...plan("ios", "notes.pro.monthly", "notes.pro.annual"),
    { app: "ios", id: "notes.pro.lifetime", name: "Pro, lifetime", duration: null, price: 199.99 },
    ...plan("android", "notes_pro:monthly", "notes_pro:annual"),
    { app: "android", id: "notes_lifetime", name: "Pro, lifetime", duration: null, price: 199.99 },
    ...plan("web", "notes_web_monthly", "notes_web_annual"),
  ],
  entitlements: [
    [
      "pro",
      "Everything in Notes Pro",
      [
        ...["notes.pro.monthly", "notes.pro.annual", "notes.pro.lifetime", "notes_pro:monthly"],
        ...["notes_pro:annual", "notes_lifetime", "notes_web_monthly", "notes_web_annual"],
      ],
    ],
    ["sync", "Sync between devices", ANNUAL],
  ],
  offerings: [
    {
      key: "default",
      name: "Standard prices",
      metadata: null,
      packages: [
        ["$svc_monthly", "Monthly", MONTHLY],
        ["$svc_annual", "Annual", ANNUAL],
        ["$svc_lifetime", "Lifetime", LIFETIME],
      ],
    },
    {
      key: "winter_sale",
      name: "Winter sale",
      metadata: { badge: "Save 40 %" },
      packages: [["$svc_annual", "Annual, reduced", ANNUAL]],
    },
  ],
  currencies: [],
};

/** Coins for the program for notes. */
export const NOTES_COINS: SeedCatalogue = {
  apps: [NOTES_IOS],
  products: [pack("ios", "notes.coins.100", "100 coins", 0.99)],
  entitlements: [],
  offerings: [],
  currencies: [{
    code: "COIN",
    name: "Coins",
    description: "For stickers and paper",
    amounts: { "notes.coins.100": 100 },
  }],
};

/** A game: gems, a season pass, no advertisements. */
export const GAMES: SeedCatalogue = {
  apps: [
    {
      key: "ios",
      name: "Orbit for iOS",
      type: "app_store",
      settings: { bundle_id: "com.example.orbit" },
    },
    {
      key: "android",
      name: "Orbit for Android",
      type: "play_store",
      settings: { package_name: "com.example.orbit" },
    },
  ],
  products: [
    pack("ios", "orbit.gems.100", "100 gems", 1.99),
    pack("ios", "orbit.gems.1200", "1,200 gems", 14.99),
    { app: "ios", id: "orbit.no_ads", name: "No advertisements", duration: null, price: 3.99 },
    { app: "ios", id: "orbit.pass", name: "Season pass", duration: "P1M", price: 4.99 },
    pack("android", "orbit_gems_100", "100 gems", 1.99),
    pack("android", "orbit_gems_1200", "1,200 gems", 14.99),
    { app: "android", id: "orbit_no_ads", name: "No advertisements", duration: null, price: 3.99 },
    { app: "android", id: "orbit_pass:monthly", name: "Season pass", duration: "P1M", price: 4.99 },
  ],
  entitlements: [
    ["no_ads", "No advertisements", ["orbit.no_ads", "orbit_no_ads"]],
    ["season_pass", "Everything of the season", ["orbit.pass", "orbit_pass:monthly"]],
  ],
  offerings: [{
    key: "orbit_shop",
    name: "Shop",
    metadata: null,
    packages: [
      ["gems_100", "100 gems", ["orbit.gems.100", "orbit_gems_100"]],
      ["gems_1200", "1,200 gems", ["orbit.gems.1200", "orbit_gems_1200"]],
      ["$svc_monthly", "Season pass", ["orbit.pass", "orbit_pass:monthly"]],
    ],
  }],
  currencies: [{
    code: "GEM",
    name: "Gems",
    description: "For ships and colours",
    amounts: {
      "orbit.gems.100": 100,
      "orbit.gems.1200": 1200,
      "orbit_gems_100": 100,
      "orbit_gems_1200": 1200,
    },
  }],
};

/** A newspaper: monthly and annual, most of it on the web. */
export const NEWS: SeedCatalogue = {
  apps: [
    {
      key: "ios",
      name: "The Daily for iOS",
      type: "app_store",
      settings: { bundle_id: "com.example.daily" },
    },
    {
      key: "android",
      name: "The Daily for Android",
      type: "play_store",
      settings: { package_name: "com.example.daily" },
    },
    {
      key: "web",
      name: "The Daily on the web",
      type: "svc_billing",
      settings: { app_name: "The Daily" },
    },
  ],
  products: [
    ...paper("ios", "daily.monthly", "daily.annual"),
    ...paper("android", "daily:monthly", "daily:annual"),
    ...paper("web", "daily_web_monthly", "daily_web_annual"),
  ],
  entitlements: [[
    "subscriber",
    "All articles",
    [
      ...["daily.monthly", "daily.annual", "daily:monthly", "daily:annual"],
      ...["daily_web_monthly", "daily_web_annual"],
    ],
  ]],
  offerings: [{
    key: "daily_standard",
    name: "Standard prices",
    metadata: null,
    packages: [
      ["$svc_monthly", "Monthly", ["daily.monthly", "daily:monthly", "daily_web_monthly"]],
      ["$svc_annual", "Annual", ["daily.annual", "daily:annual", "daily_web_annual"]],
    ],
  }],
  currencies: [],
};

function plan(app: string, monthly: string, annual: string): SeedCatalogue["products"] {
  return [
    { app, id: monthly, name: "Pro, monthly", duration: "P1M", price: 9.99 },
    { app, id: annual, name: "Pro, annual", duration: "P1Y", price: 79.99, trial: "P1W" },
  ];
}

function paper(app: string, monthly: string, annual: string): SeedCatalogue["products"] {
  return [
    { app, id: monthly, name: "Monthly", duration: "P1M", price: 7.99, trial: "P1W" },
    { app, id: annual, name: "Annual", duration: "P1Y", price: 69.99, trial: "P1M" },
  ];
}

function pack(
  app: string,
  id: string,
  name: string,
  price: number,
): SeedCatalogue["products"][number] {
  return { app, id, name, duration: null, price, consumable: true };
}
