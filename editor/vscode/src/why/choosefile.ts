/** Lets the user choose a file of the open folders: by default the one in the active editor. */

import * as vscode from "vscode";
import { keepOrder } from "../quickpick";
import { escapeIcons } from "../results/hit";

/** Number of files that are listed for what is typed. */
const MAX_FILES = 50;

/** Number of files that are looked through for those. */
const MAX_SEARCHED = 2000;

/** A file, or the place at a line of it, 0-based. */
export interface FilePlace {
  readonly uri: vscode.Uri;
  readonly line?: number;
}

type Choice = FilePlace | "another question";
type Item = vscode.QuickPickItem & { readonly choice?: Choice };

/** Returns the chosen file; undefined where none is chosen. names: the projects of the open folders, by their URIs. */
export function chooseFile(title: string, names: ReadonlyMap<string, string>): Promise<Choice | undefined> {
  const pick = vscode.window.createQuickPick<Item>();
  keepOrder(pick);
  pick.title = title;
  pick.placeholder = vscode.l10n.t("Which file? A part of its name or path");
  const open = openFileItems(names);
  const another: Item = {
    choice: "another question",
    label: vscode.l10n.t("Another Question…"),
    iconPath: new vscode.ThemeIcon("edit"),
    alwaysShow: true,
  };
  pick.items = [...open, another];
  let cancellation = new vscode.CancellationTokenSource();
  const search = async (typed: string) => {
    cancellation.cancel();
    cancellation = new vscode.CancellationTokenSource();
    const { token } = cancellation;
    pick.busy = typed !== "";
    const found = typed === "" ? [] : await findFiles(typed, token);
    if (token.isCancellationRequested) return;
    pick.busy = false;
    pick.items = typed === "" ? [...open, another] : [...found.map((uri) => fileItem(uri, names)), another];
  };
  return new Promise((resolve) => {
    pick.onDidChangeValue((value) => void search(value.trim()));
    pick.onDidAccept(() => {
      resolve(pick.activeItems[0]?.choice);
      pick.hide();
    });
    pick.onDidHide(() => {
      cancellation.cancel();
      resolve(undefined);
      pick.dispose();
    });
    pick.show();
  });
}

/** Returns the file in the active editor, the place at its cursor, and the files of the other tabs. */
function openFileItems(names: ReadonlyMap<string, string>): Item[] {
  const editor = vscode.window.activeTextEditor;
  const active = editor?.document.uri.scheme === "file" ? editor : undefined;
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs.map(({ input }) => input));
  const shown = tabs.flatMap((input) => (input instanceof vscode.TabInputText ? [input.uri] : []));
  const others = new Map(shown.filter(({ scheme }) => scheme === "file").map((uri) => [uri.toString(), uri]));
  if (!active) return [...others.values()].map((uri) => fileItem(uri, names));
  const { uri } = active.document;
  others.delete(uri.toString());
  const { line } = active.selection.active;
  const here = fileItem(uri, names);
  const atCursor: Item = {
    ...here,
    choice: { uri, line },
    label: `${here.label}:${line + 1}`,
    description: vscode.l10n.t("the function or section at the cursor"),
    iconPath: new vscode.ThemeIcon("symbol-function"),
  };
  return [here, atCursor, ...[...others.values()].map((other) => fileItem(other, names))];
}

function fileItem(uri: vscode.Uri, names: ReadonlyMap<string, string>): Item {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const project = names.size > 1 ? names.get(folder?.uri.toString() ?? "") : undefined;
  const path = vscode.workspace.asRelativePath(uri, false);
  const end = path.lastIndexOf("/");
  return {
    choice: { uri },
    label: escapeIcons(path.slice(end + 1)),
    description: escapeIcons([project, path.slice(0, Math.max(end, 0))].filter(Boolean).join(": ")),
    iconPath: new vscode.ThemeIcon("file"),
    alwaysShow: true,
  };
}

/** Returns the files of the open folders whose path has the typed text, those with the shortest paths first. */
async function findFiles(typed: string, token: vscode.CancellationToken): Promise<vscode.Uri[]> {
  const path = vscode.workspace.asRelativePath(typed.replaceAll("\\", "/"), false).replace(/^\.?\//, "");
  const found = await vscode.workspace.findFiles(`**/*${patternOf(path)}*`, undefined, MAX_SEARCHED, token).then(
    (uris) => uris,
    () => [], // the search was cancelled
  );
  const isWanted = (uri: vscode.Uri) => plain(vscode.workspace.asRelativePath(uri, false)).includes(plain(path));
  const byLength = (one: vscode.Uri, other: vscode.Uri) =>
    one.path.length - other.path.length || one.path.localeCompare(other.path);
  return found.filter(isWanted).sort(byLength).slice(0, MAX_FILES);
}

/** Returns a text as names are compared: regardless of case, and of how its accents are written. */
function plain(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

/** Returns a glob pattern that matches a text at least, regardless of case. The search compares bytes: characters
 * beyond ASCII match anything. */
function patternOf(text: string): string {
  return text
    .replaceAll(/[*?[\]{}!]/g, "?")
    .replaceAll(/[^\0-\x7f]+/g, "*")
    .replaceAll(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
}
