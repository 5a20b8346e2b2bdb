// manifest.mjs FOLDER: the package.json and README.md that are shipped, into FOLDER. SCRY_PUBLISHER is the publisher;
// SCRY_REPOSITORY, an https address, gives the links and the addresses of the pictures, which are in the package otherwise.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2];
const { SCRY_PUBLISHER: publisher, SCRY_REPOSITORY: repository } = process.env;
if (repository && !repository.startsWith("https://"))
  throw new Error(`SCRY_REPOSITORY is no https address: ${repository}`);

const { devDependencies: _tools, scripts: _tasks, ...manifest } = JSON.parse(readFileSync("package.json", "utf8"));
if (publisher) manifest.publisher = publisher;
if (repository) {
  manifest.homepage = repository;
  manifest.repository = { type: "git", url: `${repository}.git` };
  manifest.bugs = { url: `${repository}/issues` };
}
writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);

const pictures = repository ? `${repository}/raw/HEAD/docs/images/vscode-` : "media/";
const readme = readFileSync("README.md", "utf8").replaceAll("../../docs/images/vscode-", pictures);
writeFileSync(join(folder, "README.md"), readme);
