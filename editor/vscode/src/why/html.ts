/** An explanation as the HTML of the why panel. Pure. Every text in it may come from a stranger's repository. */

import type { Explanation, Full, Lived, OracleEvidence, Place, ResultItem, Shares } from "../generated/protocol";
import { escapeHtml, marked } from "./escape";
import { STYLE } from "./style";

/** Shares of a semantic score that are shown: beyond them they are too small to mean anything. */
const SHOWN_SHARES = 12;

export interface Panel {
  readonly explanation: Explanation;
  /** The code in full, where it could be had. */
  readonly full: Full | undefined;
  /** For the one stylesheet that the content security policy allows. */
  readonly nonce: string;
}

/** The whole page. It holds no script and no remote content, and its policy forbids both. */
export function page({ explanation, full, nonce }: Panel): string {
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
  head(explanation),
  oracles(explanation),
  moves(explanation.result),
  code(explanation, full),
  ...(explanation.oracles?.map(semantic) ?? []),
  structure(explanation.result),
  history(explanation.lived),
  places(explanation.places ?? []),
].join("\n")}
</body>
</html>`;
}

function head({ doc_id, query, summary, faults = [], result }: Explanation): string {
  const asked = query ? `<p class="asked">${escapeHtml(query)}</p>` : "";
  const evidence = result?.evidence ? `<span class="evidence">(${escapeHtml(result.evidence)})</span>` : "";
  const missing = faults.map(({ oracle, message }) => `<p class="quiet">${escapeHtml(`${oracle}: ${message}`)}</p>`);
  return `<header>${asked}<h1>${escapeHtml(result?.title ?? doc_id)} ${evidence}</h1>
<p class="name">${escapeHtml(doc_id)}</p><p class="summary">${escapeHtml(summary)}</p>${missing.join("")}</header>`;
}

function oracles({ oracles: evidence = [], decisive }: Explanation): string {
  const concerned = evidence.filter(({ state }) => state !== "other_kind");
  return section("What each oracle says", table(concerned.map((each) => oracleRow(each, each.oracle === decisive))));
}

function oracleRow(evidence: OracleEvidence, isDecisive: boolean): string {
  const { title, rank, raw_score, score_type, share, note, matches = [], missing = [] } = evidence;
  const score = raw_score === null ? "" : `${round(raw_score)} ${escapeHtml(score_type.replaceAll("_", " "))}`;
  const words = [
    ...matches.map((word) => `<mark>${escapeHtml(word)}</mark>`),
    ...missing.map((word) => `<s>${escapeHtml(word)}</s>`),
  ];
  const state = rank === null ? "no match" : evidence.state === "beyond_depth" ? `#${rank}, beyond depth` : `#${rank}`;
  return `<tr class="${isDecisive ? "decisive" : ""}"><th>${escapeHtml(title)}</th><td>${bar(share)}</td>
<td class="number">${Math.round(share * 100)} %</td><td class="short">${state}</td><td class="short">${score}</td>
<td>${words.join(" ")}${note ? ` <span class="quiet">${escapeHtml(note)}</span>` : ""}</td></tr>`;
}

function moves(result: ResultItem | undefined): string {
  const rows = (result?.adjustments ?? []).map(
    ({ name, factor, reason }) =>
      `<tr><th>${escapeHtml(name.replaceAll("_", " "))}</th><td class="number">× ${round(factor)}</td><td>${escapeHtml(reason)}</td></tr>`,
  );
  return section("What else moved it", table(rows));
}

function code({ oracles: evidence = [], result }: Explanation, full: Full | undefined): string {
  const text = full?.body || result?.snippet;
  if (!text) return "";
  const words = evidence.flatMap((each) => each.matches ?? []);
  return section("Where the words are", `<pre>${marked(text, words)}</pre>`);
}

function semantic({ title, shares }: OracleEvidence): string {
  if (!shares) return "";
  return section(`${title}: which words met`, table(shareRows(shares)));
}

function shareRows({ shares, remainder, total }: Shares): string[] {
  const shown = shares.slice(0, SHOWN_SHARES);
  const rest = remainder + shares.slice(SHOWN_SHARES).reduce((sum, { value }) => sum + value, 0);
  const largest = Math.max(...shown.map(({ value }) => Math.abs(value)), Math.abs(rest), Number.EPSILON);
  const row = (words: string, value: number) =>
    `<tr><th>${words}</th><td>${bar(value / largest)}</td><td class="number">${round(value)}</td></tr>`;
  return [
    ...shown.map(({ query_word, document_word, field, value }) =>
      row(
        `${escapeHtml(query_word)} → ${escapeHtml(document_word)} <span class="quiet">${escapeHtml(field)}</span>`,
        value,
      ),
    ),
    row('<span class="quiet">all other pairs</span>', rest),
    `<tr class="total"><th>sum</th><td></td><td class="number">${round(total)}</td></tr>`,
  ];
}

function structure(result: ResultItem | undefined): string {
  const known = result?.annotations.structural;
  if (!known) return "";
  const facts: [string, string][] = [
    ["importers", `${known.importers}`],
    ["centrality", known.centrality],
    ["activity", known.activity_level ?? ""],
    ["flags", (known.flags ?? []).join(", ").replaceAll("_", " ")],
  ];
  return section("Structure", factTable(facts));
}

function history(lived: Lived | undefined): string {
  if (!lived) return "";
  const together = (lived.co_changes ?? []).map(({ doc_id, count }) => `${doc_id} (${count ?? 1})`).join(", ");
  const facts: [string, string][] = [
    ["commits", `${lived.commits}${lived.uncommitted ? ", and changes that are not committed" : ""}`],
    ["last", lived.last_commit ?? ""],
    ["on", lived.last_changed?.slice(0, 10) ?? ""],
    ["changes with", together],
  ];
  return section("History", factTable(facts));
}

function places(known: readonly Place[]): string {
  const rows = known.map(
    ({ mode, rank, of, note }) =>
      `<tr><th>${escapeHtml(mode)}</th><td class="number">${rank === null ? "–" : `#${rank}`}</td><td class="quiet">of ${of}</td><td>${escapeHtml(note ?? "")}</td></tr>`,
  );
  return section("Its place in each mode", table(rows));
}

function section(title: string, content: string): string {
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

/** A bar for a share of -1 to 1, drawn by attributes: the policy allows no style of its own. */
function bar(share: number): string {
  const width = Math.round(Math.min(1, Math.abs(share)) * 100);
  return `<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label="${width} %"><rect class="track" width="100" height="8"/><rect class="${share < 0 ? "less" : "more"}" width="${width}" height="8"/></svg>`;
}

/** A figure with as many digits as mean something. */
function round(value: number): string {
  return Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(Math.abs(value) >= 1 ? 2 : 3);
}
