/** Scrolls an editor to a result, so that its name is in view, and its doc comment as far as there is room. */

import * as vscode from "vscode";
import type { Location } from "../generated/protocol";
import { jumpTarget, toRange } from "./hit";

/** The most of the editor's height that is above a name after a jump. */
const JUMP_SHARE = 0.5;

/** The part of the editor's height that is above a name in a preview, of which the picker covers the upper half. */
const PREVIEW_SHARE = 0.75;

/** Number of lines that are assumed to be visible in an editor that has not been drawn yet. */
const ASSUMED_LINES = 30;

/** Scrolls to a result that was jumped to, unless all of it down to its name is in view. */
export function revealJump(editor: vscode.TextEditor, location: Location): void {
  const [start, name] = [toRange(location).start.line, jumpTarget(location).line];
  const [visible] = editor.visibleRanges;
  if (visible && visible.start.line <= start && name <= visible.end.line) return;
  scroll(editor, Math.max(start - 1, name - Math.floor(JUMP_SHARE * height(editor))));
}

/** Scrolls to a line of a preview, so that the picker does not cover it. */
export function revealPreview(editor: vscode.TextEditor, line: number): void {
  scroll(editor, line - Math.floor(PREVIEW_SHARE * height(editor)));
}

/** Returns the number of empty lines that a preview needs above its text, so that a line near its top can be scrolled
 * to below the picker. */
export function paddingAbove(line: number): number {
  return Math.max(0, Math.floor(PREVIEW_SHARE * ASSUMED_LINES) - line);
}

function height({ visibleRanges: [visible] }: vscode.TextEditor): number {
  const lines = visible ? visible.end.line - visible.start.line : 0;
  return lines > 1 ? lines : ASSUMED_LINES;
}

function scroll(editor: vscode.TextEditor, line: number): void {
  const top = Math.max(0, line);
  editor.revealRange(new vscode.Range(top, 0, top, 0), vscode.TextEditorRevealType.AtTop);
}
