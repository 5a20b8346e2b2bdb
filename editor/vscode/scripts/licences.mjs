// licences.mjs JSON TEXT: writes the licences of the packages whose code is bundled, as esbuild's source maps in dist/
// name them: their names, versions and licences to JSON, and their licences' texts to TEXT.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import checker from "license-checker-rseidelsohn";

const [, , json, text] = process.argv;

/** Folders of the packages that a source map names. */
const bundled = new Set();
for (const name of readdirSync("dist").filter((file) => file.endsWith(".js.map"))) {
  for (const source of JSON.parse(readFileSync(`dist/${name}`, "utf8")).sources) {
    const folder = source.match(/^.*node_modules\/(@[^/]+\/)?[^/]+/)?.[0];
    if (folder) bundled.add(resolve("dist", folder));
  }
}

const customFormat = { name: "", version: "", licenseText: "" };
const installed = Object.values(await promisify(checker.init)({ start: ".", customFormat }));
const packages = [...bundled].sort().map((folder) => {
  const found = installed.find(({ path }) => path === folder);
  if (!found?.licenseText) throw new Error(`licences.mjs: ${folder} has no text of a licence`);
  return { name: found.name, version: found.version, licence: String(found.licenses), text: found.licenseText.trim() };
});
if (packages.length === 0) throw new Error("licences.mjs: dist/ has no source map that names a package");

writeFileSync(json, `${JSON.stringify(packages, null, 2)}\n`);
const rule = "-".repeat(80);
const parts = packages.map((one) => `${rule}\n${one.name} ${one.version} (${one.licence})\n\n${one.text}\n`);
writeFileSync(text, `The extension contains code of these packages.\n\n${parts.join("\n")}`);
