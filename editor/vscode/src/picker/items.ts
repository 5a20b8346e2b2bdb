/** Builds the lines of the picker. */

import * as vscode from "vscode";
import type { Answer } from "../generated/protocol";
import type { AskedAnswer } from "../results/asked";
import {
  escapeIcons,
  furtherHitsOf,
  furtherPlaces,
  type Hit,
  hitsOf,
  iconOf,
  projectOf,
  shortLocation,
  teamCommit,
} from "../results/hit";
import { messageOf, Problem, REMEDIES, type Remedy } from "../sidecar/problem";
import { shortenPlace } from "./rows";
import { wrap } from "./wrap";

export type Action = "why" | "detail" | "copy" | "good" | "bad" | "openLink" | "copyLink";

/** A button of a line: an action on its result, its further places, or the menu of all actions. */
interface LineButton extends vscode.QuickInputButton {
  readonly act: Action | "further" | "menu";
}

/** Two buttons: a row has to leave room for its place in a narrow window too, and no API tells how wide it is. */
const LINE_BUTTONS: readonly LineButton[] = [
  { act: "why", tooltip: vscode.l10n.t("Why This Result?"), iconPath: new vscode.ThemeIcon("question") },
  { act: "menu", tooltip: vscode.l10n.t("More Actions (Ctrl+.)"), iconPath: new vscode.ThemeIcon("ellipsis") },
];

/** A line of the picker. hit: a result, or a further place of one. more: requests more results. query: an earlier query.
 * notice: a message. absence: explains why a file was not found. remedy: what can be done about an error. completion: what
 * the input becomes. act: runs something, after which the list is shown again unless the picker has been hidden. */
export type Item = vscode.QuickPickItem &
  (
    | { readonly type: "hit"; readonly hit: Hit }
    | { readonly type: "more" | "notice" | "absence" }
    | { readonly type: "query"; readonly query: string }
    | { readonly type: "remedy"; readonly remedy: Remedy }
    | { readonly type: "completion"; readonly value: string }
    | { readonly type: "act"; readonly run: () => unknown }
  );

/** Number of characters of a message that fit into a line of the picker. */
const NOTICE_WIDTH = 80;

const ABSENCE: Item = {
  type: "absence",
  label: `$(search-stop) ${vscode.l10n.t("Why Was a File Not Found…")}`,
  alwaysShow: true,
};

const FURTHER_TOOLTIP = vscode.l10n.t("Further Places in This File (Alt+RightArrow)");

/** Returns one item per result, in the server's order, and a last one for more results where there may be some.
 *
 * expanded: doc_ids of the results below which the further places of their files are listed. */
export function itemsOf(answer: AskedAnswer, limit: number, expanded: ReadonlySet<string> = new Set()): Item[] {
  const items = hitsOf(answer).flatMap((hit) => {
    const isExpanded = expanded.has(hit.result.doc_id);
    return [resultItem(hit, isExpanded), ...(isExpanded ? furtherHitsOf(hit).map(furtherItem) : [])];
  });
  if (items.length === 0) return [...noticeItems(remarksOn(answer) || vscode.l10n.t("Nothing found.")), ABSENCE];
  if (answer.results.length < limit) return items;
  return [...items, { type: "more", label: `$(ellipsis) ${vscode.l10n.t("More results")}`, alwaysShow: true }];
}

/** Returns who could not answer and why, and the answer's own notice. */
export function remarksOn({ faults, notice = "" }: Answer): string {
  return [...faults.map(({ message }) => message), notice].filter(Boolean).join("; ");
}

/** Returns the line of a result. A screen reader reads its name first, then its file and line, and the list says its
 * place among the others: so the icon of its kind is no part of the name. */
function resultItem(hit: Hit, isExpanded: boolean): Item {
  const { result } = hit;
  const evidence = [result.evidence, furtherPlaces(result)].filter(Boolean).join(" | ");
  const iconPath = new vscode.ThemeIcon(isExpanded ? "chevron-down" : "chevron-right");
  const further: LineButton[] =
    furtherHitsOf(hit).length > 0 ? [{ act: "further", tooltip: FURTHER_TOOLTIP, iconPath }] : [];
  const place = shortPlace(hit);
  const team = teamCommit(result);
  return {
    type: "hit",
    hit,
    label: escapeIcons(result.title),
    iconPath: new vscode.ThemeIcon(iconOf(result)),
    description:
      (team ? "$(organization) " : "") +
      escapeIcons([team, place, evidence ? `(${evidence})` : ""].filter(Boolean).join("  ")),
    detail: escapeIcons(result.snippet),
    alwaysShow: true,
    buttons: [...further, ...LINE_BUTTONS],
  };
}

function furtherItem(hit: Hit): Item {
  return {
    type: "hit",
    hit,
    label: `\u2003↳ ${escapeIcons(hit.result.title)}`,
    iconPath: new vscode.ThemeIcon(iconOf(hit.result)),
    description: escapeIcons(shortPlace(hit)),
    alwaysShow: true,
    buttons: LINE_BUTTONS,
  };
}

/** Returns a result's project, where that is to be named, and as much of its place as fits beside its name. */
function shortPlace(hit: Hit): string {
  const project = projectOf(hit);
  return [project, shortenPlace(shortLocation(hit), hit.result.title + project)].filter(Boolean).join(": ");
}

/** Returns what a button of a line does. VS Code passes a copy of the button, of which the tooltip is the same. */
export function actOf(button: vscode.QuickInputButton): LineButton["act"] | undefined {
  if (button.tooltip === FURTHER_TOOLTIP) return "further";
  return LINE_BUTTONS.find((each) => each.tooltip === button.tooltip)?.act;
}

/** Returns one item per earlier query, for a picker whose input is empty. */
export function historyItems(queries: readonly string[]): Item[] {
  return queries.map((query) => ({
    type: "query",
    query,
    label: `$(history) ${escapeIcons(query)}`,
    alwaysShow: true,
  }));
}

/** Returns a line with an error and, where something can be done about it, a first line that does so. */
export function errorItems(error: unknown): Item[] {
  const notices = noticeItems(messageOf(error), "$(error) ");
  if (!(error instanceof Problem)) return notices;
  const { title } = REMEDIES[error.remedy];
  return [{ type: "remedy", remedy: error.remedy, label: `$(arrow-right) ${title}`, alwaysShow: true }, ...notices];
}

/** Returns lines with a text that is too long for one: the picker would cut it off. */
function noticeItems(text: string, icon = ""): Item[] {
  return wrap(text, NOTICE_WIDTH).map((line, index) => ({
    type: "notice",
    label: `${index === 0 ? icon : ""}${escapeIcons(line)}`,
    alwaysShow: true,
  }));
}
