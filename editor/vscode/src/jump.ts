/** Jumps to a result: into a file, to a commit's diff, or, without a location, to its full text. */

import * as vscode from "vscode";
import type { ResultActions } from "./actions";
import type { Answers } from "./answers";
import { openCommit } from "./commit";
import type { Details } from "./detail";
import { type Found, holdsLine } from "./found";
import { toRange, toUri } from "./places";

/** Number of jumps that the hover can explain. */
const KEPT = 200;

export interface JumpOptions {
  readonly side?: boolean;
  /** As a preview tab, with the focus left where it is: for walking through results. */
  readonly peek?: boolean;
}

export class Jumps {
  private landed: readonly Found[] = [];

  constructor(
    private readonly actions: ResultActions,
    private readonly answers: Answers,
    private readonly details: Details,
  ) {}

  async jump(found: Found, options: JumpOptions = {}): Promise<void> {
    this.answers.moveTo(found);
    this.landed = [found, ...this.landed].slice(0, KEPT);
    const { result } = found;
    const used = this.actions.used(found, "jump");
    if (result.content_type === "commit") await openCommit(result, () => this.details.show(found));
    else if (result.location) await openLocation(found, options);
    else await this.details.show(found);
    await used;
  }

  /** The newest jump to this line: its location begins there, or holds it in its first line. */
  ledTo(uri: vscode.Uri, line: number): Found | undefined {
    return this.landed.find(({ result: { location } }) => {
      if (location === undefined || toUri(location).toString() !== uri.toString()) return false;
      return location.range.start.line === line && holdsLine(location.range, line);
    });
  }
}

async function openLocation({ result }: Found, options: JumpOptions): Promise<void> {
  const { location } = result;
  if (!location) return;
  const editor = await vscode.window.showTextDocument(toUri(location), {
    preview: options.peek ?? false,
    preserveFocus: options.peek ?? false,
    viewColumn: options.side ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active,
  });
  const { start } = toRange(location);
  editor.selection = new vscode.Selection(start, start);
  editor.revealRange(toRange(location), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
