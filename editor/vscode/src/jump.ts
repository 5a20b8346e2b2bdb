/** Jumps to a result: to its file, to the diff of a commit, or, without a location, to its full text. */

import * as vscode from "vscode";
import type { ResultActions } from "./actions";
import type { Answers } from "./answers";
import { openCommit } from "./commit";
import type { Details } from "./detail";
import { type Hit, toRange, toUri } from "./hit";

/** Number of the latest jumps that the hover can explain. */
const MAX_JUMPS = 200;

export interface JumpOptions {
  /** Opens the file in an editor group to the side. */
  readonly side?: boolean;
  /** Opens the file in a preview tab and does not move the focus. */
  readonly preview?: boolean;
}

export class Jumps {
  private latest: readonly Hit[] = [];

  constructor(
    private readonly actions: ResultActions,
    private readonly answers: Answers,
    private readonly details: Details,
  ) {}

  async jump(hit: Hit, options: JumpOptions = {}): Promise<void> {
    this.answers.select(hit);
    this.latest = [hit, ...this.latest].slice(0, MAX_JUMPS);
    const { result } = hit;
    const recording = this.actions.recordUse(hit, "jump");
    if (result.content_type === "commit") await openCommit(result, () => this.details.show(hit));
    else if (result.location) await openLocation(hit, options);
    else await this.details.show(hit);
    await recording;
  }

  /** Returns the result of the newest jump to this line; undefined where none led there. */
  hitAt(uri: vscode.Uri, line: number): Hit | undefined {
    return this.latest.find(({ result: { location } }) => {
      if (location === undefined || toUri(location).toString() !== uri.toString()) return false;
      return location.range.start.line === line;
    });
  }
}

async function openLocation({ result }: Hit, options: JumpOptions): Promise<void> {
  const { location } = result;
  if (!location) return;
  const editor = await vscode.window.showTextDocument(toUri(location), {
    preview: options.preview ?? false,
    preserveFocus: options.preview ?? false,
    viewColumn: options.side ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active,
  });
  const { start } = toRange(location);
  editor.selection = new vscode.Selection(start, start);
  editor.revealRange(toRange(location), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
