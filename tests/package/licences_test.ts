import { deepEqual, equal, rejects } from "node:assert/strict";
import { dirname, join } from "node:path";
import { findForeign, licencesOf, packageFolders } from "../../scripts/bundle/licences.ts";

/** The licences of packages with these files. */
async function licences(files: Record<string, string>): Promise<string> {
  const root = await Deno.makeTempDir();
  try {
    for (const [path, text] of Object.entries(files)) {
      await Deno.mkdir(dirname(join(root, path)), { recursive: true });
      await Deno.writeTextFile(join(root, path), text);
    }
    const standard = (identifier: string) => Promise.resolve(`Standard ${identifier}`);
    return await licencesOf(packageFolders(Object.keys(files)), root, standard);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

/** The `package.json` of a package. */
function packageFile(name: string, license?: string, author?: unknown): string {
  return JSON.stringify({ name, version: "1.2.3", license, author });
}

Deno.test("files of a bundle belong to the innermost package", () => {
  const files = [
    "lib/cli/main.ts",
    "node_modules/.deno/b@1.0.0/node_modules/b/dist/index.js",
    "node_modules/.deno/@a+b@1.0.0/node_modules/@a/b/index.js",
    "node_modules/.deno/b@1.0.0/node_modules/b/dist/node.js",
  ];
  deepEqual(packageFolders(files), [
    "node_modules/.deno/@a+b@1.0.0/node_modules/@a/b",
    "node_modules/.deno/b@1.0.0/node_modules/b",
  ]);
});

Deno.test("a bundle takes no file of a folder above", () => {
  const own = [
    "cli.ts",
    "node_modules/b/index.js",
    "required:fs",
    "door:lib/cli/main.ts",
    "..b.js",
  ];
  equal(findForeign(own), undefined);
  for (
    const path of [
      "../node_modules/b/index.js",
      "..\\b.js",
      "/node_modules/b.js",
      "D:\\b.js",
      "D:/b.js",
    ]
  ) {
    equal(findForeign([...own, path]), path);
  }
});

Deno.test("a package's licence is its own text, or the standard one with its author", async () => {
  const text = await licences({
    "node_modules/a/package.json": packageFile("a", "MIT"),
    "node_modules/a/license": "By A\n\nPermission\n",
    "node_modules/b/package.json": packageFile("b", "ISC"),
    "node_modules/b/README.md": "# b\n\n## License\n\nBy B. Permission is granted.\n",
    "node_modules/c/package.json": packageFile("c", "Apache-2.0", { name: "C" }),
    "node_modules/c/README.md": "# c\n\n## License\n\nSee the file LICENSE.\n",
  });
  equal(
    text.slice(text.indexOf("## a")),
    `## a 1.2.3 (MIT)

\`\`\`text
By A

Permission
\`\`\`

## b 1.2.3 (ISC)

\`\`\`text
By B. Permission is granted.
\`\`\`

## c 1.2.3 (Apache-2.0)

\`\`\`text
By C

Standard Apache-2.0
\`\`\`
`,
  );
});

Deno.test("a package without a known licence is not bundled", async () => {
  for (const license of [undefined, "GPL-3.0-only"]) {
    const files = { "node_modules/a/package.json": packageFile("a", license) };
    await rejects(() => licences(files), /Cannot bundle the package a: its licence is (none|GPL)/);
  }
});
