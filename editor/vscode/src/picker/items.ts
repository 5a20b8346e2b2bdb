/** Builds the lines of the picker. */

import * as vscode from "vscode";
import type { Answer } from "../generated/protocol";
import { escapeIcons, furtherHitsOf, furtherPlaces, type Hit, hitsOf, iconOf, shortLocation } from "../hit";
import { messageOf, Problem, REMEDIES, type Remedy } from "../sidecar/problem";
import { wrap } from "./wrap";

export type Action = "why" | "detail" | "copy" | "good" | "bad";

interface ActionButton extends vscode.QuickInputButton {
  readonly action: Action;
}

const ACTION_BUTTONS: readonly ActionButton[] = [
  { action: "detail", tooltip: "Show Detail", iconPath: new vscode.ThemeIcon("list-selection") },
  { action: "why", tooltip: "Why This Result?", iconPath: new vscode.ThemeIcon("question") },
  { action: "copy", tooltip: "Copy Result", iconPath: new vscode.ThemeIcon("copy") },
  { action: "good", tooltip: "Good Result", iconPath: new vscode.ThemeIcon("thumbsup") },
  { action: "bad", tooltip: "Bad Result", iconPath: new vscode.ThemeIcon("thumbsdown") },
];

/** A line of the picker. hit: a result, or a further place of one. more: requests more results. query: an earlier query.
 * notice: a message. remedy: what can be done about an error. */
export type Item = vscode.QuickPickItem &
  (
    | { readonly type: "hit"; readonly hit: Hit }
    | { readonly type: "more" | "notice" }
    | { readonly type: "query"; readonly query: string }
    | { readonly type: "remedy"; readonly remedy: Remedy }
  );

/** Number of characters of a message that fit into a line of the picker. */
const NOTICE_WIDTH = 80;

const FURTHER_TOOLTIP = "Further Places in This File (Alt+RightArrow)";

/** Returns one item per result, in the server's order, and a last one for more results where there may be some.
 *
 * expanded: doc_ids of the results below which the further places of their files are listed. */
export function itemsOf(answer: Answer, limit: number, expanded: ReadonlySet<string> = new Set()): Item[] {
  const items = hitsOf(answer).flatMap((hit) => {
    const isExpanded = expanded.has(hit.result.doc_id);
    return [resultItem(hit, isExpanded), ...(isExpanded ? furtherHitsOf(hit).map(furtherItem) : [])];
  });
  if (items.length === 0) return noticeItems(answer.notice || "Nothing found.");
  if (answer.results.length < limit) return items;
  return [...items, { type: "more", label: "$(ellipsis) More results", alwaysShow: true }];
}

function resultItem(hit: Hit, isExpanded: boolean): Item {
  const { result } = hit;
  const evidence = [result.evidence, furtherPlaces(result)].filter(Boolean).join(" | ");
  const icon = new vscode.ThemeIcon(isExpanded ? "chevron-down" : "chevron-right");
  const furtherButtons = furtherHitsOf(hit).length > 0 ? [{ tooltip: FURTHER_TOOLTIP, iconPath: icon }] : [];
  return {
    type: "hit",
    hit,
    label: `$(${iconOf(result)}) ${escapeIcons(result.title)}`,
    description: escapeIcons([shortLocation(hit), evidence ? `(${evidence})` : ""].filter(Boolean).join("  ")),
    detail: escapeIcons(result.snippet),
    alwaysShow: true,
    buttons: [...furtherButtons, ...ACTION_BUTTONS],
  };
}

function furtherItem(hit: Hit): Item {
  return {
    type: "hit",
    hit,
    label: `\u2003↳ $(${iconOf(hit.result)}) ${escapeIcons(hit.result.title)}`,
    description: escapeIcons(shortLocation(hit)),
    alwaysShow: true,
    buttons: ACTION_BUTTONS,
  };
}

export function isFurtherButton(button: vscode.QuickInputButton): boolean {
  return button.tooltip === FURTHER_TOOLTIP;
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

export function actionOf(button: vscode.QuickInputButton): Action | undefined {
  return ACTION_BUTTONS.find((each) => each === button || each.tooltip === button.tooltip)?.action;
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
