/** The dialogs of the commands about knowledge: a list, a question, and a message that stays for a while. */

import * as vscode from "vscode";
import { escapeIcons } from "../results/hit";

/** Milliseconds that a message stays in the status bar. */
const MESSAGE_MS = 5000;

export interface Item<T> extends vscode.QuickPickItem {
  readonly value: T;
}

/** Lets the user choose one of the items; where there are none, says so by `empty`. */
export async function choose<T>(title: string, items: Item<T>[], empty: string): Promise<T | undefined> {
  if (items.length === 0) {
    void vscode.window.showInformationMessage(`Scry: ${empty}`);
    return undefined;
  }
  return (await vscode.window.showQuickPick(items, { title, matchOnDescription: true }))?.value;
}

/** Asks for a text; undefined where the user gives none. */
export function ask(title: string, prompt: string): Thenable<string | undefined> {
  return vscode.window.showInputBox({ title, prompt, ignoreFocusOut: true });
}

/** Shows a text in the status bar. */
export function tell(text: string): void {
  vscode.window.setStatusBarMessage(`Scry: ${escapeIcons(text)}`, MESSAGE_MS);
}

/** Returns a time of the wire as the editor's user writes it. */
export function timeOf(timestamp: string): string {
  const time = new Date(timestamp);
  if (Number.isNaN(time.getTime())) return timestamp;
  return time.toLocaleString(vscode.env.language, { dateStyle: "medium", timeStyle: "short" });
}

export function oneLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ");
}
