// licences.mjs JSON TEXT: writes the licences of the packages whose code is bundled, as esbuild's source maps in dist/
// name them: their names, versions and licences to JSON, and their licences' texts to TEXT.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { promisify } from "node:util";
import checker from "license-checker-rseidelsohn";

const [, , json, text] = process.argv;

const bundled = new Set();
for (const name of readdirSync("dist").filter((file) => file.endsWith(".js.map"))) {
  for (const source of JSON.parse(readFileSync(`dist/${name}`, "utf8")).sources) {
    const inner = source.split("node_modules/").at(-1);
    if (inner !== source) bundled.add(inner.match(/^(@[^/]+\/)?[^/]+/)[0]);
  }
}

const installed = await promisify(checker.init)({ start: ".", customFormat: { name: "", version: "", licenseText: "" } });
const packages = Object.values(installed)
  .filter(({ name }) => bundled.has(name))
  .sort((a, b) => (a.name < b.name ? -1 : 1))
  .map(({ name, version, licenses, licenseText }) => ({ name, version, licence: String(licenses), text: licenseText.trim() }));
for (const name of bundled) {
  if (!packages.find((one) => one.name === name && one.text)) throw new Error(`licences.mjs: ${name} has no licence text`);
}

writeFileSync(json, `${JSON.stringify(packages, null, 2)}\n`);
const rule = "-".repeat(80);
const parts = packages.map(({ name, version, licence, text: full }) => `${rule}\n${name} ${version} (${licence})\n\n${full}\n`);
writeFileSync(text, `The extension contains code of these packages.\n\n${parts.join("\n")}`);
