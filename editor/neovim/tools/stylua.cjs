// node stylua.cjs [--check] PATH…: formats Lua files as stylua.toml says; with --check only names those that are not.
// stylua comes from npm as WebAssembly, the same on every platform.

const fs = require("node:fs");
const path = require("node:path");
const { CallParenType, Config, IndentType, OutputVerification, QuoteStyle, formatCode } = require("@johnnymorganz/stylua");

const SETTINGS = {
  column_width: (config, value) => (config.column_width = Number(value)),
  indent_width: (config, value) => (config.indent_width = Number(value)),
  indent_type: (config, value) => (config.indent_type = IndentType[value]),
  quote_style: (config, value) => (config.quote_style = QuoteStyle[value]),
  call_parentheses: (config, value) => (config.call_parentheses = CallParenType[value]),
};

function readConfig() {
  const config = Config.new();
  const text = fs.readFileSync(path.join(__dirname, "..", "stylua.toml"), "utf8");
  for (const [, name, value] of text.matchAll(/^(\w+) = "?([^"\n]*)"?$/gm)) {
    SETTINGS[name](config, value);
  }
  return config;
}

function filesOf(place) {
  if (!fs.statSync(place).isDirectory()) return [place];
  const names = fs.readdirSync(place, { recursive: true }).filter((name) => name.endsWith(".lua"));
  return names.filter((name) => !/generated|node_modules/.test(name)).map((name) => path.join(place, name));
}

const check = process.argv[2] === "--check";
const unformatted = [];
for (const file of process.argv.slice(check ? 3 : 2).flatMap(filesOf)) {
  const text = fs.readFileSync(file, "utf8");
  const formatted = formatCode(text, readConfig(), undefined, OutputVerification.Full);
  if (formatted === text) continue;
  unformatted.push(file);
  if (!check) fs.writeFileSync(file, formatted);
}
if (check && unformatted.length > 0) {
  console.error(`not formatted (make format):\n${unformatted.sort().join("\n")}`);
  process.exit(1);
}
