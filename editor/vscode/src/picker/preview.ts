/** Shows the file of the focused result behind the picker, and restores the editor when the picker is dismissed. */

import * as vscode from "vscode";
import { type Hit, toRange, toUri } from "../hit";

/** Milliseconds that a result has the focus before its file is shown. Moving quickly through the list opens no files. */
const FOCUS_DELAY_MS = 120;

/** Milliseconds without a key before a file is shown. Opening a file delays the next answer by a third of a second, so
 * the value is longer than the pause between two keys of a user who is still typing. */
const TYPING_PAUSE_MS = 350;

interface EditorState {
  readonly uri: vscode.Uri;
  readonly column: vscode.ViewColumn | undefined;
  readonly selections: readonly vscode.Selection[];
  readonly visible: vscode.Range | undefined;
  readonly isPreview: boolean;
}

export class Preview implements vscode.Disposable {
  private readonly origin = currentEditor();
  private readonly openBefore = new Set(allTabs().map(keyOf));
  private readonly highlight = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor("editor.rangeHighlightBackground"),
    isWholeLine: true,
  });
  private timer: NodeJS.Timeout | undefined;
  private lastKeyAt = 0;
  private isStopped = false;
  private hasShown = false;
  private pending: Promise<void> = Promise.resolve();

  /** Schedules the preview of a result, in place of a pending one. */
  schedule(hit: Hit): void {
    clearTimeout(this.timer);
    const wait = Math.max(FOCUS_DELAY_MS, this.lastKeyAt + TYPING_PAUSE_MS - Date.now());
    this.timer = setTimeout(() => {
      this.pending = this.show(hit).catch(() => undefined); // a deleted file has no preview
    }, wait);
  }

  /** Cancels the pending preview after a key, since another answer will follow. */
  postpone(): void {
    clearTimeout(this.timer);
    this.lastKeyAt = Date.now();
  }

  /** Ends previewing and leaves the shown file open. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.pending;
  }

  /** Ends previewing, closes the previewed files and restores the editor in which the picker was opened. */
  async restore(): Promise<void> {
    await this.stop();
    if (!this.hasShown) return;
    if (this.origin) await restoreEditor(this.origin);
    const opened = allTabs().filter((tab) => tab.isPreview && !this.openBefore.has(keyOf(tab)));
    await vscode.window.tabGroups.close(opened, true);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.highlight.dispose();
  }

  private async show({ result: { location } }: Hit): Promise<void> {
    if (!location || this.isStopped) return;
    this.hasShown = true;
    const editor = await vscode.window.showTextDocument(toUri(location), { preview: true, preserveFocus: true });
    const range = toRange(location);
    editor.selection = new vscode.Selection(range.start, range.start);
    editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    editor.setDecorations(this.highlight, [range]);
  }
}

function currentEditor(): EditorState | undefined {
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

async function restoreEditor(origin: EditorState): Promise<void> {
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
  const name = tab.input instanceof vscode.TabInputText ? tab.input.uri.toString() : tab.label;
  return `${tab.group.viewColumn} ${name}`;
}
