/** Shows the file of the focused result behind the picker, in a tab that leaves no trace.
 *
 * The tab holds a read-only copy of the text under a scheme of its own: the Explorer does not follow it, and language
 * servers do not open the file. It is a tab beside the others, so that it takes the place of none, and a transient one,
 * so that it is in no history. Once it is closed the editor shows what it showed before, of whatever kind. */

import * as vscode from "vscode";
import { nextEvent } from "../event";
import { TEAM_SCHEME } from "../projects";
import { findWords, matchedWords } from "../results/highlights";
import { type Hit, jumpTarget, toRange, toUri } from "../results/hit";
import { paddingAbove, revealPreview } from "../results/reveal";

/** Milliseconds that a result has the focus before its file is shown. Moving quickly through the list opens no files. */
const FOCUS_DELAY_MS = 120;

/** Milliseconds without a key before a file is shown. Opening a file delays the next answer by a third of a second, so
 * the value is longer than the pause between two keys of a user who is still typing. */
const TYPING_PAUSE_MS = 350;

/** Milliseconds that the editor may take to show an opened preview. */
const SHOW_TIMEOUT_MS = 1000;

/** The largest file that is shown, in bytes. */
const MAX_BYTES = 5_000_000;

const SCHEME = "scry-preview";

/** Number of previews so far: a part of each URI, because the editor keeps the text of a URI for a while. */
let count = 0;

/** The texts of the previews that are shown, or about to be, by their URIs. */
const texts = new Map<string, string>();

/** Provides the texts of previews. */
export function registerPreviews(): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    provideTextDocumentContent: (uri) => texts.get(uri.toString()) ?? "",
  });
}

export class Preview implements vscode.Disposable {
  private readonly highlight = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor("editor.rangeHighlightBackground"),
    isWholeLine: true,
  });
  private readonly wordHighlight = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor("editor.findMatchHighlightBackground"),
    border: "1px solid",
    borderColor: new vscode.ThemeColor("editor.findMatchHighlightBorder"),
  });
  private timer: NodeJS.Timeout | undefined;
  private lastKeyAt = 0;
  private isStopped = false;
  private pending: Promise<void> = Promise.resolve();

  /** Schedules the preview of a result, in place of a pending one. */
  schedule(hit: Hit): void {
    clearTimeout(this.timer);
    const wait = Math.max(FOCUS_DELAY_MS, this.lastKeyAt + TYPING_PAUSE_MS - Date.now());
    this.timer = setTimeout(() => {
      this.pending = this.pending.then(() => this.show(hit)).catch(() => undefined); // a deleted file has no preview
    }, wait);
  }

  /** Cancels the pending preview after a key, since another answer will follow. */
  postpone(): void {
    clearTimeout(this.timer);
    this.lastKeyAt = Date.now();
  }

  /** Shows no further result. The shown one stays until `close`. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.pending;
  }

  /** Closes what is shown; the next result that has the focus is shown again. */
  async clear(): Promise<void> {
    clearTimeout(this.timer);
    await this.pending;
    await vscode.window.tabGroups.close(previewTabs(), true); // else the picker would lose the focus, and hide
  }

  /** Ends previewing: the editor shows what it showed before. */
  async close(): Promise<void> {
    await this.stop();
    await closeTabs(previewTabs());
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.highlight.dispose();
    this.wordHighlight.dispose();
  }

  private async show({ result, parent }: Hit): Promise<void> {
    const { location } = result;
    if (!location || this.isStopped) return;
    const earlier = previewTabs();
    const uri = previewUri(toUri(location));
    const text = await readText(toUri(location));
    const { start, end } = toRange(location);
    const target = jumpTarget(location);
    const padding = paddingAbove(target.line);
    texts.clear();
    texts.set(uri.toString(), "\n".repeat(padding) + text);
    await openTransient(uri, target.translate(padding));
    await closeTabs(earlier);
    const editor = await shownEditor(uri);
    if (!editor) return;
    if (padding > 0) editor.options = { lineNumbers: vscode.TextEditorLineNumbersStyle.Off }; // they would not be the file's
    revealPreview(editor, target.line + padding);
    const range = new vscode.Range(start.translate(padding), end.translate(padding));
    editor.setDecorations(this.highlight, [range]);
    editor.setDecorations(this.wordHighlight, wordRanges(editor.document, range, matchedWords(parent ?? result)));
  }
}

/** Returns the URI of a copy of a file. Its path, which the tab shows, says what it is, and is the file's in the workspace. */
function previewUri(file: vscode.Uri): vscode.Uri {
  count += 1;
  const path = `/Preview/${vscode.workspace.asRelativePath(file, false).replace(/^\/+/, "")}`;
  return vscode.Uri.from({ scheme: SCHEME, path, query: file.toString(), fragment: `${count}` });
}

/** Returns where words are in a range of a text. */
function wordRanges(document: vscode.TextDocument, range: vscode.Range, words: readonly string[]): vscode.Range[] {
  const offset = document.offsetAt(range.start);
  return findWords(document.getText(range), words).map(
    ([start, end]) => new vscode.Range(document.positionAt(offset + start), document.positionAt(offset + end)),
  );
}

async function readText(file: vscode.Uri): Promise<string> {
  if (file.scheme === TEAM_SCHEME) return (await vscode.workspace.openTextDocument(file)).getText();
  const open = vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === file.toString());
  if (open) return open.getText();
  const { size } = await vscode.workspace.fs.stat(file);
  return size > MAX_BYTES ? "" : new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
}

/** Opens a tab that the editor's histories ignore, and leaves the focus where it is.
 *
 * The API has no option for it. The command is the one that the editor's own `vscode.open` is made of; a test in a real
 * VS Code checks that no history holds the tab. */
async function openTransient(uri: vscode.Uri, { line, character }: vscode.Position): Promise<void> {
  const position = { startLineNumber: line + 1, startColumn: character + 1 };
  const asText = { override: "default" }; // where another kind of editor is set for such files, as for pictures
  const options = { transient: true, pinned: true, preserveFocus: true, selection: position, ...asText };
  await vscode.commands.executeCommand("_workbench.open", uri, [vscode.ViewColumn.Active, options]);
}

async function shownEditor(uri: vscode.Uri): Promise<vscode.TextEditor | undefined> {
  const find = () =>
    vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri.toString());
  const end = Date.now() + SHOW_TIMEOUT_MS;
  while (!find() && Date.now() < end) {
    await nextEvent(vscode.window.onDidChangeVisibleTextEditors, end - Date.now());
  }
  return find();
}

function previewTabs(): vscode.Tab[] {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.filter(({ input }) => input instanceof vscode.TabInputText && input.uri.scheme === SCHEME);
}

async function closeTabs(tabs: readonly vscode.Tab[]): Promise<void> {
  if (tabs.length > 0) await vscode.window.tabGroups.close(tabs);
}
