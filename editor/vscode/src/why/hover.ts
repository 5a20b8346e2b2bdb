/** “Why this result?” at the place that the person jumped to. */

import * as vscode from "vscode";
import { methods } from "../generated/protocol";
import type { Jumps } from "../jump";
import { readSettings } from "../settings";
import type { Sidecar } from "../sidecar/sidecar";

export class WhyHover implements vscode.HoverProvider {
  constructor(
    private readonly sidecar: Sidecar,
    private readonly jumps: Jumps,
  ) {}

  register(): vscode.Disposable {
    return vscode.languages.registerHoverProvider({ scheme: "file" }, this);
  }

  async provideHover(
    document: vscode.TextDocument,
    position: vscode.Position,
    token: vscode.CancellationToken,
  ): Promise<vscode.Hover | undefined> {
    const found = readSettings().hover ? this.jumps.ledTo(document.uri, position.line) : undefined;
    if (!found) return undefined;
    const asked = { doc_id: found.result.doc_id, query_id: found.answer.query_id };
    const explanation = await this.sidecar.request(methods.why, asked, token).catch(() => undefined);
    if (!explanation) return undefined;
    const words = new vscode.MarkdownString(explanation.text); // not trusted: it quotes the repository
    const link = new vscode.MarkdownString(
      "[Why This Result?](command:scry.why)  ·  [Show Detail](command:scry.detail)",
    );
    link.isTrusted = { enabledCommands: ["scry.why", "scry.detail"] };
    return new vscode.Hover([link, words]);
  }
}
