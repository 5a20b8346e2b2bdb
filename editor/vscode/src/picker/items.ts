/** Builds the lines of the picker. */

import * as vscode from "vscode";
import type { Answer } from "../generated/protocol";
import { type Hit, iconOf, shortLocation } from "../hit";

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

/** A line of the picker. hit: a result. more: requests more results. query: an earlier query. notice: a message. */
export type Item = vscode.QuickPickItem &
  (
    | { readonly type: "hit"; readonly hit: Hit }
    | { readonly type: "more" | "notice" }
    | { readonly type: "query"; readonly query: string }
  );

/** Returns one item per result, in the server's order, and a last one for more results where there may be some. */
export function itemsOf(answer: Answer, limit: number): Item[] {
  const items = answer.results.map((result): Item => {
    const evidence = result.evidence ? `(${result.evidence})` : "";
    return {
      type: "hit",
      hit: { answer, result },
      label: `$(${iconOf(result)}) ${escapeIcons(result.title)}`,
      description: [shortLocation({ answer, result }), evidence].filter(Boolean).join("  "),
      detail: escapeIcons(result.snippet),
      alwaysShow: true,
      buttons: ACTION_BUTTONS,
    };
  });
  if (items.length === 0) return [{ type: "notice", label: answer.notice || "Nothing found.", alwaysShow: true }];
  if (items.length < limit) return items;
  return [...items, { type: "more", label: "$(ellipsis) More results", alwaysShow: true }];
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

/** Returns a text from the repository in a form in which `$(name)` does not become an icon. */
function escapeIcons(text: string): string {
  return text.replaceAll("$(", "$\u200b(");
}
