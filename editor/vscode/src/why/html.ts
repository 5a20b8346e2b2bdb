/** Renders an explanation as the HTML of the why panel. Pure. Every text may come from an untrusted repository. */

import type { Explanation, Full, Lived, OracleEvidence, Place, ResultItem, Shares } from "../generated/protocol";
import { findWords } from "../results/highlights";

/** Number of pairs of words whose shares of a semantic score are shown. The rest are too small to be useful. */
const MAX_SHARES = 12;

/** Returns a text in the language of the editor, with its placeholders filled in. */
export type Translate = (message: string, ...args: (string | number)[]) => string;

export interface Panel {
  readonly explanation: Explanation;
  /** The full text of the document; undefined where it is not available. */
  readonly full: Full | undefined;
  /** What is to be said beside the explanation. */
  readonly remark?: string;
  /** Translates a text of the panel. */
  readonly t: Translate;
  /** The nonce of the only stylesheet that the content security policy allows. */
  readonly nonce: string;
}

/** Returns the page. It contains no script and no remote content, and its content security policy forbids both. */
export function renderPage({ explanation, full, remark = "", nonce, t }: Panel): string {
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>Why</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
${[
  head(explanation, remark, t),
  oracles(explanation, t),
  adjustments(explanation.result, t),
  code(explanation, full, t),
  ...(explanation.oracles?.map((evidence) => semantic(evidence, t)) ?? []),
  structure(explanation.result, t),
  copies(explanation.result, t),
  history(explanation.lived, t),
  modeRanks(explanation.places ?? [], t),
].join("\n")}
</body>
</html>`;
}

function head(explanation: Explanation, remark: string, t: Translate): string {
  const { doc_id, query, summary, reason, faults = [], result } = explanation;
  const question = query ? `<p class="asked">${escapeHtml(query)}</p>` : "";
  const evidence = result?.evidence ? `<span class="evidence">(${escapeHtml(result.evidence)})</span>` : "";
  const { index, near = [] } = explanation;
  const incomplete = index.state === "ready" ? "" : t("The index is not complete: {0}", index.summary || index.state);
  const similar = near.length > 0 ? t("Similar names: {0}", near.join(", ")) : "";
  const best = result && result.doc_id !== doc_id ? t("The best place in it: {0}", result.doc_id) : "";
  const known = reason && !summary.includes(reason) ? reason : "";
  const remarks = [remark, best, known, similar, incomplete].filter(Boolean);
  const failures = faults.map(({ oracle, message }) => `${oracle}: ${message}`);
  const lines = [...remarks, ...failures].map((line) => `<p class="quiet">${escapeHtml(line)}</p>`);
  return `<header>${question}<h1>${escapeHtml(result?.title ?? nameOf(doc_id))} ${evidence}</h1>
<p class="name">${escapeHtml(doc_id)}</p><p class="summary">${escapeHtml(summary)}</p>${lines.join("")}</header>`;
}

/** Returns the name in a doc_id: that of the symbol, or of the file. */
function nameOf(doc_id: string): string {
  const [, symbol] = /::(.+)/s.exec(doc_id) ?? [];
  return symbol ?? doc_id.slice(doc_id.lastIndexOf("/") + 1);
}

function oracles({ oracles: evidence = [], decisive }: Explanation, t: Translate): string {
  const applicable = evidence.filter(({ state }) => state !== "other_kind");
  return section(
    t("What each oracle says"),
    table(applicable.map((each) => oracleRow(each, each.oracle === decisive, t))),
  );
}

function oracleRow(evidence: OracleEvidence, isDecisive: boolean, t: Translate): string {
  const { title, rank, raw_score, score_type, share, note, matches = [], missing = [] } = evidence;
  const score = raw_score === null ? "" : `${round(raw_score)} ${escapeHtml(score_type.replaceAll("_", " "))}`;
  const words = [
    ...matches.map((word) => `<mark>${escapeHtml(word)}</mark>`),
    ...missing.map((word) => `<s>${escapeHtml(word)}</s>`),
  ];
  const isBeyond = evidence.state === "beyond_depth";
  const state = rank === null ? t("no match") : isBeyond ? t("#{0}, beyond depth", rank) : `#${rank}`;
  return `<tr class="${isDecisive ? "decisive" : ""}"><th>${escapeHtml(title)}</th><td>${bar(share)}</td>
<td class="number">${Math.round(share * 100)} %</td><td class="short">${state}</td><td class="short">${score}</td>
<td>${words.join(" ")}${note ? ` <span class="quiet">${escapeHtml(note)}</span>` : ""}</td></tr>`;
}

function adjustments(result: ResultItem | undefined, t: Translate): string {
  const rows = (result?.adjustments ?? []).map(
    ({ name, factor, reason }) =>
      `<tr><th>${escapeHtml(name.replaceAll("_", " "))}</th><td class="number">× ${round(factor)}</td><td>${escapeHtml(reason)}</td></tr>`,
  );
  return section(t("What else moved it"), table(rows));
}

function code({ oracles: evidence = [], result }: Explanation, full: Full | undefined, t: Translate): string {
  const text = full?.body || result?.snippet;
  if (!text) return "";
  const words = evidence.flatMap((each) => each.matches ?? []).map((word) => word.replace(/…$/, ""));
  return section(t("Where the words are"), `<pre>${highlightWords(text, words)}</pre>`);
}

function semantic({ title, shares }: OracleEvidence, t: Translate): string {
  if (!shares) return "";
  return section(t("{0}: which words met", title), table(shareRows(shares, t)));
}

function shareRows({ shares, remainder, total }: Shares, t: Translate): string[] {
  const shown = shares.slice(0, MAX_SHARES);
  const rest = remainder + shares.slice(MAX_SHARES).reduce((sum, { value }) => sum + value, 0);
  const largest = Math.max(...shown.map(({ value }) => Math.abs(value)), Math.abs(rest), Number.EPSILON);
  const row = (label: string, value: number) =>
    `<tr><th>${label}</th><td>${bar(value / largest)}</td><td class="number">${round(value)}</td></tr>`;
  return [
    ...shown.map(({ query_word, document_word, field, value }) =>
      row(
        `${escapeHtml(query_word)} → ${escapeHtml(document_word)} <span class="quiet">${escapeHtml(field)}</span>`,
        value,
      ),
    ),
    row(`<span class="quiet">${t("all other pairs")}</span>`, rest),
    `<tr class="total"><th>${t("sum")}</th><td></td><td class="number">${round(total)}</td></tr>`,
  ];
}

function structure(result: ResultItem | undefined, t: Translate): string {
  const structural = result?.annotations.structural;
  if (!structural) return "";
  const facts: [string, string][] = [
    [t("importers"), `${structural.importers}`],
    [t("centrality"), structural.centrality],
    [t("activity"), structural.activity_level ?? ""],
    [t("flags"), (structural.flags ?? []).join(", ").replaceAll("_", " ")],
  ];
  return section(t("Structure"), factTable(facts));
}

/** Returns the other repositories of the team that hold the content of a result. */
function copies(result: ResultItem | undefined, t: Translate): string {
  const named = result?.also_in ?? [];
  const more = (result?.copies ?? 0) - named.length;
  const rows = named.map(({ doc_id }) => `<tr><td>${escapeHtml(doc_id)}</td></tr>`);
  if (named.length > 0 && more > 0) rows.push(`<tr><td class="quiet">${t("and {0} more", more)}</td></tr>`);
  return section(t("Same content in other repositories"), table(rows));
}

function history(file: Lived | undefined, t: Translate): string {
  if (!file) return "";
  const coChanges = (file.co_changes ?? []).map(({ doc_id, count }) => `${doc_id} (${count ?? 1})`).join(", ");
  const facts: [string, string][] = [
    [t("commits"), file.uncommitted ? t("{0}, and changes that are not committed", file.commits) : `${file.commits}`],
    [t("last"), file.last_commit ?? ""],
    [t("on"), file.last_changed?.slice(0, 10) ?? ""],
    [t("changes with"), coChanges],
  ];
  return section(t("History"), factTable(facts));
}

function modeRanks(places: readonly Place[], t: Translate): string {
  const rows = places.map(
    ({ mode, rank, of, note }) =>
      `<tr><th>${escapeHtml(mode)}</th><td class="number">${rank === null ? "–" : `#${rank}`}</td><td class="quiet">${t("of {0}", of)}</td><td>${escapeHtml(note ?? "")}</td></tr>`,
  );
  return section(t("Its place in each mode"), table(rows));
}

export function section(title: string, content: string): string {
  return content && `<section><h2>${escapeHtml(title)}</h2>${content}</section>`;
}

function table(rows: readonly string[]): string {
  return rows.length > 0 ? `<table>${rows.join("\n")}</table>` : "";
}

function factTable(facts: readonly [string, string][]): string {
  return table(
    facts.filter(([, value]) => value).map(([name, value]) => `<tr><th>${name}</th><td>${escapeHtml(value)}</td></tr>`),
  );
}

/** Returns a bar for a share of -1 to 1. Its size is given by attributes, since the policy forbids inline styles. */
function bar(share: number): string {
  const width = Math.round(Math.min(1, Math.abs(share)) * 100);
  return `<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label="${width} %"><rect class="track" width="100" height="8"/><rect class="${share < 0 ? "less" : "more"}" width="${width}" height="8"/></svg>`;
}

/** Returns a number with about three significant digits. */
function round(value: number): string {
  return Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(Math.abs(value) >= 1 ? 2 : 3);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Control and formatting characters that can reorder or hide the text around them, without line ends and tabs. */
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what the pattern is for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

export function escapeHtml(text: string): string {
  return text
    .replaceAll(INVISIBLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** Returns the escaped text with each occurrence of a word marked, regardless of case. The longest word wins. */
export function highlightWords(text: string, words: readonly string[]): string {
  let html = "";
  let end = 0;
  for (const [start, next] of findWords(text, words)) {
    html += `${escapeHtml(text.slice(end, start))}<mark>${escapeHtml(text.slice(start, next))}</mark>`;
    end = next;
  }
  return html + escapeHtml(text.slice(end));
}

/** The stylesheet. It uses the colours and fonts of the current theme. */
const STYLE = `
body { color: var(--vscode-foreground); font: var(--vscode-font-weight) var(--vscode-font-size)/1.5 var(--vscode-font-family); max-width: 64em; padding: 0.5em 1.5em 2em; }
h1 { font-size: 1.5em; font-weight: 600; margin: 0.2em 0 0; overflow-wrap: anywhere; }
h2 { border-bottom: 1px solid var(--vscode-widget-border, var(--vscode-panel-border)); font-size: 1.05em; font-weight: 600; margin: 1.8em 0 0.5em; padding-bottom: 0.2em; }
p { margin: 0.2em 0; overflow-wrap: anywhere; }
.asked::before { content: "\\201c"; }
.asked::after { content: "\\201d"; }
.asked, .quiet, .name, .evidence { color: var(--vscode-descriptionForeground); }
.name, pre { font-family: var(--vscode-editor-font-family); font-size: var(--vscode-editor-font-size); }
.evidence { font-size: 0.7em; font-weight: 400; white-space: nowrap; }
.summary { font-size: 1.1em; margin-top: 0.6em; }
table { border-collapse: collapse; }
th, td { padding: 0.2em 1.2em 0.2em 0; text-align: left; vertical-align: top; }
th { font-weight: 400; }
th, .short { white-space: nowrap; }
.decisive th { font-weight: 600; }
.number { font-variant-numeric: tabular-nums; text-align: right; white-space: nowrap; }
.total td, .total th { border-top: 1px solid var(--vscode-widget-border, var(--vscode-panel-border)); }
.bar { display: block; height: 0.6em; margin-top: 0.45em; width: 10em; }
.track { fill: var(--vscode-widget-border, var(--vscode-panel-border)); opacity: 0.5; }
.more { fill: var(--vscode-charts-blue); }
.less { fill: var(--vscode-charts-red); }
mark { background: var(--vscode-editor-findMatchHighlightBackground); border-radius: 2px; color: inherit; }
s { color: var(--vscode-descriptionForeground); }
pre { background: var(--vscode-textCodeBlock-background); border-radius: 4px; max-height: 30em; overflow: auto; padding: 0.8em 1em; tab-size: 4; }
/* A theme of high contrast has no colour for a background: a mark has a frame, and a bar another pattern than its track. */
.vscode-high-contrast mark { font-weight: 700; outline: 1px solid var(--vscode-contrastActiveBorder, currentColor); }
.vscode-high-contrast pre { border: 1px solid var(--vscode-contrastBorder, currentColor); }
.vscode-high-contrast .track { fill: none; opacity: 1; stroke: var(--vscode-contrastBorder, currentColor); vector-effect: non-scaling-stroke; }
.vscode-high-contrast .more { fill: var(--vscode-foreground); }
/* Beside the code there is little room: the last cell of a row, which is text, gets a line of its own. */
@media (max-width: 44em) {
  body { padding: 0.5em 1em 2em; }
  .evidence, th, .short { white-space: normal; }
  table, tbody { display: block; }
  tr { column-gap: 0.9em; display: flex; flex-wrap: wrap; padding: 0.15em 0; }
  th, td { overflow-wrap: anywhere; padding-right: 0; }
  th { flex: 0 1 auto; min-width: 7em; }
  td:last-child:not(.number) { box-sizing: border-box; flex: 1 0 100%; padding-left: 1em; }
  td:last-child:not(.number):empty { display: none; }
  .bar { width: 5em; }
}
`;
