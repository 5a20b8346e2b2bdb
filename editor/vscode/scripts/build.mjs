// Bundles the extension into dist/extension.js, and the language client into a file of its own, which is read when the
// sidecar is started: it is nine tenths of the code, and would be most of what activation costs. With --test also each
// unit test, into .test/units.
import { readdirSync } from "node:fs";
import { build } from "esbuild";

const common = {
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
  logLevel: "warning",
};

const shipped = { ...common, minify: true, keepNames: true, sourcemap: "linked", sourcesContent: false };

const clientApart = {
  name: "client-apart",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/languageclient\.js$/ }, () => ({ path: "./languageclient.js", external: true }));
  },
};

await build({ ...shipped, entryPoints: ["src/sidecar/languageclient.ts"], outdir: "dist" });
await build({ ...shipped, entryPoints: ["src/extension.ts"], outdir: "dist", plugins: [clientApart] });

if (process.argv.includes("--test")) {
  const tests = readdirSync("test").filter((name) => name.endsWith(".test.ts"));
  await build({
    ...common,
    entryPoints: tests.map((name) => `test/${name}`),
    outdir: ".test/units",
    sourcemap: "inline",
  });
}
