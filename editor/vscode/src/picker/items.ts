/** The picker's lines. */

import * as vscode from "vscode";
import { type Found, iconOf } from "../found";
import type { Answer } from "../generated/protocol";
import { shortPlace } from "../places";

export type Action = "why" | "detail" | "copy" | "good" | "bad";

interface ActionButton extends vscode.QuickInputButton {
  readonly action: Action;
}

const BUTTONS: readonly ActionButton[] = [
  { action: "detail", tooltip: "Show Detail", iconPath: new vscode.ThemeIcon("list-selection") },
  { action: "why", tooltip: "Why This Result?", iconPath: new vscode.ThemeIcon("question") },
  { action: "copy", tooltip: "Copy Result", iconPath: new vscode.ThemeIcon("copy") },
  { action: "good", tooltip: "Good Result", iconPath: new vscode.ThemeIcon("thumbsup") },
  { action: "bad", tooltip: "Bad Result", iconPath: new vscode.ThemeIcon("thumbsdown") },
];

/** found: a result. more: asks for more. query: an earlier question. notice: words alone. */
export type Item = vscode.QuickPickItem &
  (
    | { readonly type: "found"; readonly found: Found }
    | { readonly type: "more" | "notice" }
    | { readonly type: "query"; readonly query: string }
  );

/** One item for each result, in the server's order; then, where there may be more, one that asks for them. */
export function itemsOf(answer: Answer, limit: number): Item[] {
  const items = answer.results.map((result): Item => {
    const evidence = result.evidence ? `(${result.evidence})` : "";
    return {
      type: "found",
      found: { answer, result },
      label: `$(${iconOf(result)}) ${plain(result.title)}`,
      description: [shortPlace({ answer, result }), evidence].filter(Boolean).join("  "),
      detail: plain(result.snippet),
      alwaysShow: true,
      buttons: BUTTONS,
    };
  });
  if (items.length === 0) return [{ type: "notice", label: answer.notice || "Nothing found.", alwaysShow: true }];
  if (items.length < limit) return items;
  return [...items, { type: "more", label: "$(ellipsis) More results", alwaysShow: true }];
}

/** Earlier questions, for a picker without words. */
export function historyItems(queries: readonly string[]): Item[] {
  return queries.map((query) => ({ type: "query", query, label: `$(history) ${plain(query)}`, alwaysShow: true }));
}

export function actionOf(button: vscode.QuickInputButton): Action | undefined {
  return BUTTONS.find((known) => known === button || known.tooltip === button.tooltip)?.action;
}

/** Text of the repository, in which `$(name)` must not become an icon. */
function plain(text: string): string {
  return text.replaceAll("$(", "$\u200b(");
}
