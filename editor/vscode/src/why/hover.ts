/** Explains a result in a hover, at the location that the user jumped to. */

import * as vscode from "vscode";
import { methods } from "../generated/protocol";
import { TEAM_SCHEME } from "../projects";
import { referenceTo } from "../results/hit";
import type { Jumps } from "../results/jump";
import { readSettings } from "../settings";
import type { Sidecar } from "../sidecar/sidecar";

export class WhyHover implements vscode.HoverProvider {
  constructor(
    private readonly sidecar: Sidecar,
    private readonly jumps: Jumps,
  ) {}

  register(): vscode.Disposable {
    return vscode.languages.registerHoverProvider([{ scheme: "file" }, { scheme: TEAM_SCHEME }], this);
  }

  async provideHover(
    document: vscode.TextDocument,
    position: vscode.Position,
    token: vscode.CancellationToken,
  ): Promise<vscode.Hover | undefined> {
    const hit = readSettings().hover ? this.jumps.hitAt(document.uri, position.line) : undefined;
    if (!hit) return undefined;
    const params = { doc_id: hit.result.doc_id, query_id: hit.answer.query_id, brief: true, record: false };
    const explanation = await this.sidecar.request(methods.why, params, token).catch(() => undefined);
    if (!explanation) return undefined;
    const text = new vscode.MarkdownString(explanation.text); // not trusted, because it quotes the repository
    const argument = encodeURIComponent(JSON.stringify([referenceTo(hit)]));
    const links = new vscode.MarkdownString(
      `[${vscode.l10n.t("Why This Result?")}](command:scry.why?${argument})  ·  [${vscode.l10n.t("Show Detail")}](command:scry.detail?${argument})`,
    );
    links.isTrusted = { enabledCommands: ["scry.why", "scry.detail"] };
    return new vscode.Hover([links, text]);
  }
}
