/** Shows the result that has the focus behind the picker, and brings back what was there. */

import * as vscode from "vscode";
import type { Found } from "../found";
import { toRange, toUri } from "../places";

/** How long a result has the focus before its file is shown: who runs through the list opens nothing. */
const FOCUS_MS = 120;

/** How long nothing is typed before that: to open a file keeps the window from drawing the next answer, so that it would
 * come a third of a second late. Longer than the pause between two keys of anyone who goes on typing. */
const REST_MS = 350;

interface Origin {
  readonly uri: vscode.Uri;
  readonly column: vscode.ViewColumn | undefined;
  readonly selections: readonly vscode.Selection[];
  readonly visible: vscode.Range | undefined;
  readonly isPreview: boolean;
}

export class Preview implements vscode.Disposable {
  private readonly origin = currentPlace();
  private readonly openBefore = new Set(allTabs().map(keyOf));
  private readonly mark = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor("editor.rangeHighlightBackground"),
    isWholeLine: true,
  });
  private timer: NodeJS.Timeout | undefined;
  private typedAt = 0;
  private isOver = false;
  private hasShown = false;
  private showing: Promise<void> = Promise.resolve();

  /** Shows this result soon, instead of any other that was to be shown. */
  soon(found: Found): void {
    clearTimeout(this.timer);
    const wait = Math.max(FOCUS_MS, this.typedAt + REST_MS - Date.now());
    this.timer = setTimeout(() => {
      this.showing = this.show(found).catch(() => undefined); // a file that is gone has no preview
    }, wait);
  }

  /** Cancels the pending preview after a key, for another answer will come. */
  typed(): void {
    clearTimeout(this.timer);
    this.typedAt = Date.now();
  }

  /** Ends previewing and leaves the shown file open. */
  async keep(): Promise<void> {
    this.isOver = true;
    clearTimeout(this.timer);
    await this.showing;
  }

  /** Brings back the place where the picker was opened. */
  async restore(): Promise<void> {
    await this.keep();
    if (!this.hasShown) return;
    if (this.origin) await goTo(this.origin);
    const opened = allTabs().filter((tab) => tab.isPreview && !this.openBefore.has(keyOf(tab)));
    await vscode.window.tabGroups.close(opened, true);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.mark.dispose();
  }

  private async show({ result: { location } }: Found): Promise<void> {
    if (!location || this.isOver) return;
    this.hasShown = true;
    const editor = await vscode.window.showTextDocument(toUri(location), { preview: true, preserveFocus: true });
    const range = toRange(location);
    editor.selection = new vscode.Selection(range.start, range.start);
    editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    editor.setDecorations(this.mark, [range]);
  }
}

function currentPlace(): Origin | undefined {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return undefined;
  return {
    uri: editor.document.uri,
    column: editor.viewColumn,
    selections: editor.selections,
    visible: editor.visibleRanges[0],
    isPreview: vscode.window.tabGroups.activeTabGroup.activeTab?.isPreview ?? false,
  };
}

async function goTo(origin: Origin): Promise<void> {
  const editor = await vscode.window.showTextDocument(origin.uri, {
    ...(origin.column === undefined ? {} : { viewColumn: origin.column }),
    preview: origin.isPreview,
  });
  editor.selections = origin.selections;
  if (origin.visible) editor.revealRange(origin.visible, vscode.TextEditorRevealType.AtTop);
}

function allTabs(): vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs);
}

function keyOf(tab: vscode.Tab): string {
  const place = tab.input instanceof vscode.TabInputText ? tab.input.uri.toString() : tab.label;
  return `${tab.group.viewColumn} ${place}`;
}
