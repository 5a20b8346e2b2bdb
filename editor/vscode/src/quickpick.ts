/** What the API of quick picks lacks. */

import type * as vscode from "vscode";

/** Stops the quick pick from sorting its items by their labels.
 *
 * The property is missing in the API's types. A test in a real VS Code checks that the order is kept. */
export function keepOrder<T extends vscode.QuickPickItem>(pick: vscode.QuickPick<T>): void {
  (pick as vscode.QuickPick<T> & { sortByLabel: boolean }).sortByLabel = false;
}
