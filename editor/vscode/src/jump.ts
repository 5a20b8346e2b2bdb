/** Where results lead: into a file, to a commit's diff, or, without a place, to its text in full. */

import * as vscode from "vscode";
import type { Acts } from "./acts";
import type { Answers } from "./answers";
import { openCommit } from "./commit";
import type { Details } from "./detail";
import { type Found, holdsLine } from "./found";
import { toRange, toUri } from "./places";

/** Jumps that the hover knows: more than anyone remembers. */
const KEPT = 200;

export interface JumpOptions {
  readonly side?: boolean;
  /** As a preview tab, with the focus left where it is: for walking through results. */
  readonly peek?: boolean;
}

export class Jumps {
  private landed: readonly Found[] = [];

  constructor(
    private readonly acts: Acts,
    private readonly answers: Answers,
    private readonly details: Details,
  ) {}

  async jump(found: Found, options: JumpOptions = {}): Promise<void> {
    this.answers.moveTo(found);
    this.landed = [found, ...this.landed].slice(0, KEPT);
    const { result } = found;
    const used = this.acts.used(found, "jump");
    if (result.content_type === "commit") await openCommit(result, () => this.details.show(found));
    else if (result.location) await openLocation(found, options);
    else await this.details.show(found);
    await used;
  }

  /** What led to this line: the newest jump whose place begins there, or holds it in its first line. */
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
